%% Unique integers to where their counter begins again: what test suites set and ask.
-module(r_internal_unique).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    Min = erts_debug:get_internal_state(min_unique_monotonic_integer),
    io:format("~p~n", [{Min, erts_debug:get_internal_state(min_unique_integer)}]),
    State = erts_debug:get_internal_state(unique_monotonic_integer_state),
    io:format("~p~n", [State + 1 < 100000 orelse State =:= 1 bsl 64 - 1]),
    [io:format("~p~n", [made_from(Next - Min - 1, [[monotonic], [monotonic, positive]])])
     || Next <- [Min, -2, 1 bsl 59 - 2, 1 bsl 60 - 2, 1 bsl 63 - 2, Min - 3]],
    [io:format("~p ~p~n", [Set, {erts_debug:set_internal_state(unique_monotonic_integer_state, Set),
                                 erts_debug:get_internal_state(unique_monotonic_integer_state)}])
     || Set <- [-1, 0, 1 bsl 63, 1 bsl 64 - 1, -(1 bsl 63), 1 bsl 64, -(1 bsl 63) - 1, x, 1.0]],
    true = erts_debug:set_internal_state(unique_monotonic_integer_state, State),
    garbage_collect(),
    Made = [erlang:unique_integer() || _ <- lists:seq(1, 1000)],
    io:format("~p~n", [[N || N <- Made, N < erts_debug:get_internal_state(min_unique_integer)]]),
    io:format("~p~n", [[T || T <- [strict(1 bsl 59 - 2), strict(Min - 2)]]]).

%% From there on, each five times: with these options by turns.
made_from(State, Options) ->
    [begin
         true = erts_debug:set_internal_state(unique_monotonic_integer_state, State),
         Made = [erlang:unique_integer(O) || _ <- lists:seq(1, 5)],
         garbage_collect(),
         Made
     end || O <- Options].

%% The same numbers stand in time stamps.
strict(Next) ->
    Min = erts_debug:get_internal_state(min_unique_monotonic_integer),
    Tracee = spawn(fun() -> receive {From, N} -> [Self ! N || Self <- [From], _ <- lists:seq(1, N)] end end),
    1 = erlang:trace(Tracee, true, [send, strict_monotonic_timestamp]),
    true = erts_debug:set_internal_state(unique_monotonic_integer_state, Next - Min - 1),
    Tracee ! {self(), 4},
    [receive {trace_ts, Tracee, send, _, _, {_, N}} -> N end || _ <- lists:seq(1, 4)].
