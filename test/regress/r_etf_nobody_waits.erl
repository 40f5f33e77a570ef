%% Not under torture, give_away: each call lasts minutes there.
-module(r_etf_nobody_waits).
-export([main/0]).

%% While a term is compressed, inflated, or sorted in one go, threads that wait for all others get on: some thousand
%% times during one such call at least. Where the machine is busy it may be over too soon: then it is tried again.

main() ->
    is_viv() andalso erts_debug:set_internal_state(available_internal_state, true),
    Text = << <<(integer_to_binary(N * N))/binary>> || N <- lists:seq(1, 100000) >>,
    Packed = term_to_binary(binary:copy(<<0>>, 40 bsl 20), [compressed]),
    Map = maps:from_list([{{N}, N} || N <- lists:seq(1, 60000)]),
    [io:format("~w ~w~n", [Name, not is_viv() orelse tried(30, F)])
     || {Name, F} <- [{compressed, fun() -> term_to_binary(Text, [{compressed, 9}]) end},
                      {inflated, fun() -> binary_to_term(Packed) end},
                      {sorted, fun() -> term_to_binary(Map, [deterministic]) end}]].

tried(0, _) -> false;
tried(Times, F) ->
    Within = atomics:new(1, []),
    {_, Monitor} = spawn_monitor(fun() -> atomics:put(Within, 1, 1), F(), atomics:put(Within, 1, 0) end),
    waits(Within, Monitor, 0) >= 1000 orelse tried(Times - 1, F).

%% Those that begin and end within the call.
waits(Within, Monitor, Count) ->
    receive {'DOWN', Monitor, _, _, _} -> Count
    after 0 ->
        Before = atomics:get(Within, 1),
        erts_debug:set_internal_state(wait, thread_progress),
        waits(Within, Monitor, Count + Before * atomics:get(Within, 1))
    end.

is_viv() -> code:which(viv_recorder) =/= non_existing.
