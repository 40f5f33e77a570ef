%% Calls within a module, while breakpoints of the called function come and go and a library gives it another body: native
%% code goes straight to the function, unless there is something to see there.
-module(r_trace_called_within).
-export([main/0, runner/2, natively/1]).
-nifs([natively/1]).

-define(M, ?MODULE).

main() ->
    Pid = spawn_link(?M, runner, [0, []]),
    1 = erlang:trace(Pid, true, [call]),
    io:format("~p~n", [[told(Pid, How, N) || N <- lists:seq(1, 20), How <- [on, again, returns, off]]]),
    io:format("~p~n", [[counted(Pid, N) || N <- lists:seq(1, 10)]]),
    Busy = spawn_link(?M, runner, [1000, []]),
    io:format("~p~n", [[toggled(Busy) || _ <- lists:seq(1, 100)] =:= lists:duplicate(100, true)]),
    io:format("~p~n", [body(Pid)]),
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), "r_trace_called_within"), 0),
    io:format("~p~n", [body(Pid)]),
    1 = erlang:trace_pattern({?M, natively, 1}, true, [local]),
    io:format("~p ~p~n", [body(Pid), calls()]),
    1 = erlang:trace_pattern({?M, natively, 1}, false, [local]),
    io:format("~p ~p~n", [body(Pid), calls()]).

told(Pid, How, N) ->
    Spec = case How of returns -> [{'_', [], [{return_trace}]}]; off -> false; _ -> true end,
    2 = erlang:trace_pattern({?M, leaf, 1}, Spec, [local]) + erlang:trace_pattern({?M, last, 1}, Spec, [local]),
    N = ask(Pid, {leaves, N}),
    length(calls()).

counted(Pid, N) ->
    1 = erlang:trace_pattern({?M, leaf, 1}, true, [call_count]),
    ask(Pid, {leaves, N}),
    {call_count, Count} = erlang:trace_info({?M, leaf, 1}, call_count),
    1 = erlang:trace_pattern({?M, leaf, 1}, false, [call_count]),
    ask(Pid, {leaves, N}),
    {Count, erlang:trace_info({?M, leaf, 1}, call_count)}.

%% It runs all the while: what was counted grows, and is as much as the rounds that began and ended within.
toggled(Pid) ->
    1 = erlang:trace_pattern({?M, leaf, 1}, true, [call_count]),
    {From, _} = ask(Pid, rounds),
    {To, _} = ask(Pid, rounds),
    {call_count, Count} = erlang:trace_info({?M, leaf, 1}, call_count),
    1 = erlang:trace_pattern({?M, leaf, 1}, false, [call_count]),
    To > From andalso Count >= (To - From) * 1000.

body(Pid) -> ask(Pid, natively).

ask(Pid, What) ->
    Ref = make_ref(),
    Pid ! {What, Ref, self()},
    receive {Ref, Answer} -> Answer end.

calls() ->
    Ref = erlang:trace_delivered(all),
    receive {trace_delivered, all, Ref} -> taken() end.

taken() ->
    receive M when element(1, M) =:= trace -> [element(3, M) | taken()] after 0 -> [] end.

runner(0, Rounds) ->
    receive What -> answer(What, Rounds) end,
    runner(0, Rounds);
runner(N, []) -> runner(N, 0);
runner(N, Rounds) ->
    N = leaves(N, 0),
    receive What -> answer(What, {Rounds + 1, N}) after 0 -> ok end,
    runner(N, Rounds + 1).

answer({{leaves, N}, Ref, From}, _) -> From ! {Ref, leaves(N, 0)};
answer({rounds, Ref, From}, Rounds) -> From ! {Ref, Rounds};
answer({natively, Ref, From}, _) -> From ! {Ref, try natively(1) + 1 catch error:Reason -> Reason end}.

leaves(0, Sum) -> Sum;
leaves(N, Sum) ->
    One = leaf(N),
    leaves(N - 1, Sum + One).

leaf(N) when N > 0 -> last(N).

last(_) -> 1.

natively(_) -> erlang:nif_error(not_loaded).
