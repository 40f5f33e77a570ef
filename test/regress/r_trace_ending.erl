%% Processes are traced while they end: whether that is done or badarg goes by how far they are, but nobody is told of
%% another tracer, as was reported of all of them.
-module(r_trace_ending).
-export([main/0, log/2]).

main() ->
    logger:set_handler_config(default, level, none),
    ok = logger:add_handler(reports, ?MODULE, #{config => self()}),
    Results = [traced(On) || _ <- lists:seq(1, 100), On <- [true, false]],
    io:format("~p~n", [lists:usort(Results) -- [1, badarg]]),
    io:format("~p~n", [receive report -> reported after 200 -> nothing_reported end]).

traced(On) ->
    P = spawn(fun() -> receive go -> ok end end),
    exit(P, kill),
    Result = try erlang:trace(P, On, [send, procs]) catch error:badarg -> badarg end,
    (fun Forget() -> receive T when element(1, T) =:= trace -> Forget() after 0 -> ok end end)(),
    Result.

log(_, #{config := Main}) -> Main ! report.
