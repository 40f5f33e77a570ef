%% A match specification that takes all flags of a process away, and sets some again, whose tracer is a module: the
%% state lost its last count in between, and was freed while it was in use.
-module(r_trace_own_tracer).
-export([main/0, enabled/3, trace/5, told/0, f/1]).
-nifs([enabled/3, trace/5, told/0]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), "r_trace_own_tracer"), 0),
    1 = erlang:trace_pattern({?MODULE, f, 1}, [{'_', [], [{trace, [all], [call]}]}], [local]),
    [io:format("~p~n", [traced(State)]) || State <- [atom, {tuple, [1, 2, 3]}, lists:seq(1, 50)]],
    erlang:trace_pattern({?MODULE, f, 1}, false, [local]),
    ok.

traced(State) ->
    {_, Ref} = spawn_monitor(fun() -> exit(calls(State)) end),
    receive {'DOWN', Ref, process, _, Result} -> Result end.

calls(State) ->
    1 = erlang:trace(self(), true, [call, {tracer, ?MODULE, State}]),
    [begin f(N), N rem 10 =:= 0 andalso erlang:yield() end || N <- lists:seq(1, 1000)],
    [erlang:trace_info(self(), flags), erlang:trace_info(self(), tracer), told()].

f(X) -> X.
enabled(_, _, _) -> erlang:nif_error(not_loaded).
trace(_, _, _, _, _) -> erlang:nif_error(not_loaded).
told() -> erlang:nif_error(not_loaded).
