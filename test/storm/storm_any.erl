%% Random things: numbers, others to do something to, terms of all sizes.
-module(storm_any).
-include("storm.hrl").
-export([chance/1, one_of/1, slot/1, server/1, other/0, pid/0, small_term/0, term/0, large_term/0, flush/0, wait/1,
         in_child/1, down/1, has_faults/0]).

chance(N) -> rand:uniform(N) =:= 1.
one_of(List) when is_list(List) -> lists:nth(rand:uniform(length(List)), List).

slot(I) -> element(I, {storm_w1, storm_w2, storm_w3, storm_w4, storm_w5, storm_w6, storm_w7, storm_w8, storm_w9,
                       storm_w10, storm_w11, storm_w12, storm_w13, storm_w14, storm_w15, storm_w16}).
server(I) -> element(I, {storm_s1, storm_s2, storm_s3, storm_s4}).

%% Another worker or a server; badarg when it is just not there.
other() ->
    Name = case chance(4) of
               true -> server(rand:uniform(?SERVERS));
               false -> slot(rand:uniform(?WORKERS))
           end,
    case whereis(Name) of
        P when is_pid(P), P =/= self() -> P;
        _ -> error(badarg)
    end.

%% Any process whatever, the system's apart from time to time.
pid() ->
    case chance(3) of
        true -> one_of(processes());
        false -> other()
    end.

small_term() -> one_of([a, 1, {x, 2}, [], <<"abc">>, 1.5, self(), make_ref(), #{a => b}]).

term() ->
    case rand:uniform(7) of
        1 -> small_term();
        2 -> lists:seq(1, rand:uniform(200));
        3 -> binary:copy(<<"storm">>, rand:uniform(200));
        4 -> {literal, [1, 2, 3], #{'of' => "this module"}, <<"a literal of this module">>, <<0:800>>};
        5 -> maps:from_list([{I, {I}} || I <- lists:seq(1, rand:uniform(100))]);
        6 -> fun() -> small_term() end;
        7 -> 1 bsl (60 + rand:uniform(300))
    end.

%% By functions that tell little when they are traced: a comprehension is called with what is left of its list, and each
%% of the 5,000 calls would tell that.
large_term() ->
    case rand:uniform(4) of
        1 -> lists:seq(1, 20000 + rand:uniform(20000));
        2 -> binary:copy(<<"0123456789">>, 100000);
        3 -> maps:from_list(lists:map(fun(I) -> {I, [I]} end, lists:seq(1, 5000)));
        4 -> list_to_tuple(lists:map(fun(I) -> {I, integer_to_list(I)} end, lists:seq(1, 5000)))
    end.

%% What others sent for no reason, and answers that come late.
flush() ->
    receive
        {noise, _} -> flush();
        {'EXIT', _, _} -> flush();
        {garbage_collect, _, _} -> flush();
        {check_process_code, _, _} -> flush();
        {Tag, _, _} when Tag =:= monitor -> flush();
        {event, _} -> flush();
        {'ETS-TRANSFER', _, _, _} -> flush()
    after 0 -> ok
    end.

wait(0) -> erlang:yield();
wait(Ms) -> receive after Ms -> ok end.

%% Runs F in a process of its own that ends with its parent. Its end was as it should be, or somebody killed it.
in_child(F) ->
    Parent = self(),
    {P, M} = spawn_monitor(fun() -> link(Parent), F(), unlink(Parent) end),
    down({P, M}).

down({P, M}) ->
    receive
        {'DOWN', M, process, P, normal} -> normal;
        {'DOWN', M, process, P, killed} -> killed;
        {'DOWN', M, process, P, {storm, _}} -> killed;
        {'DOWN', M, process, P, noproc} -> killed;
        {'DOWN', M, process, P, Reason} -> error({child, Reason})
    end.

%% Does the environment ask for any (base/fault.h)?
has_faults() ->
    lists:any(fun(Name) -> os:getenv(Name) =/= false end, ["VIV_FAIL_THREAD", "VIV_FAIL_POLL", "VIV_FAIL_MMAP"]).
