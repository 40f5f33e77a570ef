%% What it costs to be sampled (viv sample), or to have a flight recorder, as a ratio: the time of some work while the
%% node is sampled so many times a second, or records what is usual, to its time while it is not. Both by turns, the
%% medians of many. seeing_cost.erl measures a service.
-module(b_sampling).
-export([group/0, benchmarks/0]).
-export([fib/1, insert/2]).

-define(ROUNDS, 41).

group() -> sampling.

%% Only this runtime can be sampled.
benchmarks() ->
    case erlang:system_info(machine) =:= "BEAM" andalso has_samplers() of
        true -> [{io_lib:format("sampled at ~w Hz: ~s", [Rate, Name]), ratio, fun() -> ratio(Rate, Work) end}
                 || Rate <- [99, 1000], {Name, Work} <- works()] ++
                [{"recorded: " ++ Name, ratio, fun() -> ratio(recorder, Work) end} || {Name, Work} <- works()];
        false -> []
    end.

has_samplers() ->
    try viv_see:sampler(1) of
        {ok, S} -> viv_see:end_sampler(S) =:= ok
    catch error:_ -> false
    end.

works() ->
    List = [X * 7919 rem 10007 || X <- lists:seq(1, 20000)],
    [{"calls", fun() -> fib(24) end},
     {"a list sorted", fun() -> lists:sort(List) end},
     {"messages to and fro", fun messages/0},
     {"insertion into a table", fun() -> insert(ets:new(t, []), 20000) end}].

ratio(Rate, Work) ->
    Times = [{time(Work), sampled(Rate, Work)} || _ <- lists:seq(1, ?ROUNDS)],
    {Without, With} = lists:unzip(Times),
    median(With) / median(Without).

sampled(recorder, Work) ->
    ok = viv_recorder:choose(<<"sched,procs,gc">>, 65536),
    Time = time(Work),
    ok = viv_recorder:choose(<<>>, 65536),
    Time;
sampled(Rate, Work) ->
    {ok, S} = viv_see:sampler(Rate),
    Time = time(Work),
    ok = viv_see:end_sampler(S),
    Time.

time(Work) ->
    Start = erlang:monotonic_time(nanosecond),
    Work(),
    erlang:monotonic_time(nanosecond) - Start.

median(Times) -> lists:nth(length(Times) div 2 + 1, lists:sort(Times)).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

insert(T, 0) -> ets:delete(T);
insert(T, N) ->
    ets:insert(T, {N rem 100, N}),
    insert(T, N - 1).

messages() ->
    Other = spawn_link(fun echo/0),
    exchange(Other, 2000),
    unlink(Other),
    exit(Other, kill).

echo() -> receive {From, N} -> From ! N, echo() end.

exchange(_, 0) -> ok;
exchange(Other, N) ->
    Other ! {self(), N},
    receive N -> exchange(Other, N - 1) end.
