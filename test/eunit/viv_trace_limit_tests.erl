%% Sessions that limit themselves: what is told and what is dropped are together what happened, nothing waits beyond the
%% limit, and the end comes by itself. What a burst refuses is exact: the flow that comes afterwards depends on time.
-module(viv_trace_limit_tests).
-include_lib("eunit/include/eunit.hrl").
-export([f/1, g/1, down/1, flood/2]).
-export([enabled/3, trace/5]).
-on_load(load/0).

load() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).
enabled(_, _, _) -> erlang:nif_error(undef).
trace(_, _, _, _, _) -> erlang:nif_error(undef).

f(X) -> X.
g(X) -> f(X) + 1.
down(0) -> ok;
down(N) -> f(N), down(N - 1).

%% A process that does as it is told, traced.
traced(S, Flags) ->
    P = spawn_link(fun serve/0),
    1 = trace:process(S, P, true, Flags),
    P.

serve() -> receive {From, Fun} -> From ! {self(), Fun()}, serve() end.

run(P, Fun) ->
    P ! {self(), Fun},
    receive {P, R} -> R end.

stop(S, P) ->
    true = trace:session_destroy(S),
    unlink(P),
    exit(P, kill),
    rest(S).

%% All until the session's last word.
rest({_, Weak}) -> rest(Weak, destroyed).
rest(Weak, Reason) ->
    receive
        {trace_ended, Weak, Reason} -> [];
        M when element(1, M) =:= trace; element(1, M) =:= trace_ts; element(1, M) =:= trace_dropped ->
            [M | rest(Weak, Reason)]
    after 60000 -> error({no_end, process_info(self(), messages)})
    end.

told(Messages) -> [M || M <- Messages, element(1, M) =/= trace_dropped].
dropped(Messages, Why) -> lists:sum([maps:get(Why, Counts) || {trace_dropped, _, _, Counts} <- Messages]).
dropped(Messages) -> lists:sum([dropped(Messages, Why) || Why <- [events, bytes, share]]).

session(Limit) -> trace:session_create(limited, self(), [{limit, Limit}]).

events_test() ->
    {_, Weak} = S = session(#{events => 1, burst => 5}),
    P = traced(S, [call]),
    1 = trace:function(S, {?MODULE, f, 1}, [], [local]),
    run(P, fun() -> down(1000) end),
    {dropped, D} = trace:info(S, {?MODULE, f, 1}, dropped),
    {dropped, Kinds} = trace:info(S, session, dropped),
    ?assertEqual(D, maps:get(call, Kinds)),
    ?assertEqual(D, lists:sum(maps:values(Kinds))),
    All = stop(S, P),
    ?assertEqual(1000, length(told(All)) + D),
    ?assertEqual(D, dropped(All, events)),
    ?assertEqual(D, dropped(All)),
    ?assert(length(told(All)) >= 5),
    ?assertEqual([{call, N} || N <- lists:seq(1000, 996, -1)],
                 [{call, N} || {trace, _, call, {_, _, [N]}} <- lists:sublist(told(All), 5)]),
    ?assert(lists:all(fun({trace_dropped, W, N, _}) -> W =:= Weak andalso is_integer(N) end, All -- told(All))).

%% Whatever refuses costs no event.
specification_first_test() ->
    S = session(#{events => 1, burst => 2}),
    P = traced(S, [call]),
    1 = trace:function(S, {?MODULE, f, 1}, [{[1], [], []}], [local]),
    run(P, fun() -> down(1000) end),
    ?assertEqual({dropped, 0}, trace:info(S, {?MODULE, f, 1}, dropped)),
    ?assertMatch([{trace, P, call, {_, f, [1]}}], stop(S, P)).

%% Counted for each pattern, which functions share.
patterns_test() ->
    S = session(#{events => 1, burst => 1}),
    P = traced(S, [call]),
    2 = trace:function(S, {?MODULE, g, 1}, [], [local]) + trace:function(S, {?MODULE, f, 1}, [], [local]),
    run(P, fun() -> [g(N) || N <- lists:seq(1, 100)] end),
    {dropped, F} = trace:info(S, {?MODULE, f, 1}, dropped),
    {dropped, G} = trace:info(S, {?MODULE, g, 1}, dropped),
    All = stop(S, P),
    ?assertEqual(200, length(told(All)) + F + G),
    ?assertEqual(F + G, dropped(All)).

%% A call that is told has its return told.
returns_test() ->
    S = session(#{events => 1, burst => 10}),
    P = traced(S, [call]),
    1 = trace:function(S, {?MODULE, f, 1}, [{'_', [], [{return_trace}]}], [local]),
    run(P, fun() -> down(100) end),
    All = told(stop(S, P)),
    ?assert(length(All) >= 10),
    ?assertEqual([N || {trace, _, call, {_, _, [N]}} <- All], [N || {trace, _, return_from, _, N} <- All]).

kinds_test_() ->
    [{atom_to_list(Flag), fun() -> kind(Flag, Kind, Work) end} || {Flag, Kind, Work} <- kinds()].

kinds() ->
    Times = lists:seq(1, 50),
    Send = fun() -> [self() ! {ignored, N} || N <- Times], [receive {ignored, N} -> ok end || N <- Times] end,
    [{send, send, Send},
     {'receive', 'receive', Send},
     {procs, procs, fun() -> [begin link(Q = whereis(init)), unlink(Q) end || _ <- Times] end},
     {running, running, fun() -> [erlang:yield() || _ <- Times] end},
     {garbage_collection, garbage_collection, fun() -> [erlang:garbage_collect() || _ <- Times] end}].

%% Events are told unlimited in a second session, and are the same.
kind(Flag, Kind, Work) ->
    S = session(#{events => 1, burst => 3}),
    Collector = spawn_link(fun() -> collect([]) end),
    All = trace:session_create(all, Collector, []),
    P = traced(S, [Flag]),
    1 = trace:process(All, P, true, [Flag]),
    run(P, Work),
    1 = trace:process(S, P, false, [Flag]),
    1 = trace:process(All, P, false, [Flag]),
    Collector ! {self(), all},
    Count = receive {Collector, Events} -> length(Events) end,
    {dropped, #{Kind := D}} = trace:info(S, session, dropped),
    trace:session_destroy(All),
    Told = stop(S, P),
    ?assert(D > 0),
    ?assertEqual(D, dropped(Told)),
    %% between the two calls of trace:process/4 one more may be told to the second
    ?assert(lists:member(Count - length(told(Told)) - D, lists:seq(-2, 6))).

collect(Events) ->
    receive
        {From, all} -> From ! {self(), Events}, collect(Events);
        Event -> collect([Event | Events])
    end.

ports_test() ->
    S = session(#{events => 1, burst => 2}),
    trace:port(S, new, true, [ports]),
    [port_close(open_port({spawn_driver, "ram_file_drv"}, [])) || _ <- lists:seq(1, 20)],
    {dropped, #{ports := D}} = trace:info(S, session, dropped),
    true = trace:session_destroy(S),
    All = rest(S),
    ?assertEqual(D, dropped(All)),
    ?assert(D > 0),
    ?assert(D + length(told(All)) >= 40).

%% What waits is never more than the limit, and comes back when it is received.
bytes_test() ->
    Most = 20000,
    S = session(#{bytes => Most}),
    P = traced(S, [call]),
    1 = trace:function(S, {?MODULE, f, 1}, [], [local]),
    run(P, fun() -> down(10000) end),
    {waiting, W} = trace:info(S, session, waiting),
    ?assert(W =< Most),
    ?assert(W > Most div 2),
    {message_queue_len, Waiting} = process_info(self(), message_queue_len),
    ?assert(Waiting < 10000),
    First = [receive M -> M end || _ <- lists:seq(1, Waiting)],
    ?assertEqual({waiting, 0}, trace:info(S, session, waiting)),
    {dropped, D1} = trace:info(S, {?MODULE, f, 1}, dropped),
    timer:sleep(20), % what was refused is asked for again when the clock has moved on
    run(P, fun() -> down(10) end),
    {dropped, D1} = trace:info(S, {?MODULE, f, 1}, dropped),
    All = First ++ stop(S, P),
    ?assertEqual(10010, length(told(All)) + D1),
    ?assertEqual(D1, dropped(All, bytes)),
    ?assertEqual(D1, dropped(All)).

%% A port that takes each message in the external format, and a module in C: what was dropped is told to them, too, and
%% the end.
port_test() ->
    Port = open_port({spawn, "cat"}, [{packet, 4}, binary]),
    {_, Weak} = S = trace:session_create(limited, Port, [{limit, #{events => 1, burst => 5, bytes => 1000000}}]),
    All = other_tracer(S, fun() ->
                                  receive {Port, {data, Bytes}} -> binary_to_term(Bytes)
                                  after 60000 -> error({no_end, Port})
                                  end
                          end),
    port_close(Port),
    ?assertEqual([{call, N} || N <- lists:seq(1000, 996, -1)],
                 [{call, N} || {trace, _, call, {_, _, [N]}} <- lists:sublist(told(All), 5)]),
    ?assertMatch({trace_ended, Weak, destroyed}, lists:last(All)).

module_test() ->
    {_, Weak} = S = trace:session_create(limited, {?MODULE, self()}, [{limit, #{events => 1, burst => 5}}]),
    All = other_tracer(S, fun() -> as_message(receive {told, Tag, Who, Term} -> {Tag, Who, Term} end) end),
    ?assertEqual([{call, N} || N <- lists:seq(1000, 996, -1)],
                 [{call, N} || {trace, _, call, {_, _, [N]}} <- lists:sublist(told(All), 5)]),
    ?assertMatch({trace_ended, Weak, destroyed}, lists:last(All)).

as_message({trace_dropped, Weak, {Scheduler, Counts}}) -> {trace_dropped, Weak, Scheduler, Counts};
as_message({trace_ended, _, _} = Ended) -> Ended;
as_message({call, Who, MFA}) -> {trace, Who, call, MFA}.

%% All that it was told of a thousand calls, its last word behind it.
other_tracer(S, Next) ->
    P = traced(S, [call]),
    1 = trace:function(S, {?MODULE, f, 1}, [], [local]),
    run(P, fun() -> down(1000) end),
    {dropped, D} = trace:info(S, {?MODULE, f, 1}, dropped),
    true = trace:session_destroy(S),
    unlink(P),
    exit(P, kill),
    All = until_ended(Next),
    ?assert(D > 0),
    ?assertEqual(D, dropped(All, events)),
    ?assertEqual(D, dropped(All)),
    ?assertEqual(1000, length([call || {trace, Q, call, _} <- All, Q =:= P]) + D),
    All.

until_ended(Next) ->
    case Next() of
        {trace_ended, _, _} = Ended -> [Ended];
        Told -> [Told | until_ended(Next)]
    end.

%% Large messages too: they are not built.
large_test() ->
    S = session(#{bytes => 100000}),
    P = traced(S, [send]),
    Large = lists:seq(1, 100000),
    run(P, fun() -> self() ! {large, Large}, self() ! small, receive small -> receive {large, _} -> ok end end end),
    All = stop(S, P),
    ?assertMatch([{trace, P, send, small, P}, {trace, P, send, {P, ok}, _}], told(All)),
    ?assertEqual(1, dropped(All, bytes)).

%% A tracer that has gone owes nothing, and its session ends.
tracer_gone_test() ->
    Tracer = spawn(fun() -> receive stop -> ok end end),
    {_, Weak} = S = trace:session_create(limited, Tracer, [{limit, #{bytes => 10000, time => 3600000}}]),
    P = traced(S, [call]),
    1 = trace:function(S, {?MODULE, f, 1}, [], [local]),
    run(P, fun() -> down(1000) end),
    exit(Tracer, kill),
    gone(Weak),
    run(P, fun() -> down(1000) end),
    unlink(P),
    exit(P, kill).

gone(Weak) -> gone(Weak, 6000).
gone(Weak, 0) -> error({there, Weak, trace:session_info(all)});
gone(Weak, N) ->
    case lists:member(Weak, trace:session_info(all)) of
        true -> timer:sleep(10), gone(Weak, N - 1);
        false -> ok
    end.

%% Events of a session that is allowed no time, all but the first: which takes it.
share_test() ->
    S = session(#{share => 1}),
    P = traced(S, [call]),
    1 = trace:function(S, {?MODULE, f, 1}, [{'_', [], [{message, {process_dump}}]}], [local]),
    run(P, fun() -> down(5000) end),
    {dropped, D} = trace:info(S, {?MODULE, f, 1}, dropped),
    All = stop(S, P),
    ?assertEqual(5000, D + length(told(All))),
    ?assertEqual(D, dropped(All, share)),
    ?assert(D > 0).

%% Calls of others, whom another session traces, take none of the share: they are neither told nor dropped.
others_test() ->
    S = session(#{share => 1}),
    Idle = traced(S, [call]),
    1 = trace:function(S, {?MODULE, f, 1}, [], [local]),
    Tracer = spawn_link(fun() -> receive stop -> ok end end),
    Other = trace:session_create(other, Tracer, []),
    P = traced(Other, [call]),
    run(P, fun() -> down(20000) end),
    ?assertEqual({dropped, 0}, trace:info(S, {?MODULE, f, 1}, dropped)),
    ?assertEqual([], stop(S, Idle)),
    true = trace:session_destroy(Other),
    Tracer ! stop,
    unlink(P),
    exit(P, kill).

cut_test_() ->
    Deep = {a, [b, {c, [d]}], #{e => {f}}},
    Seq = lists:seq(1, 100),
    [{lists:flatten(io_lib:format("~p ~P", [Limit, Term, 8])), fun() -> ?assertEqual(Expected, cut(Limit, Term)) end} ||
        {Limit, Term, Expected} <-
            [{#{depth => 1}, Deep, {a, '...', '...'}},
             {#{depth => 2}, Deep, {a, [b, '...'], #{e => '...'}}},
             {#{depth => 3}, Deep, {a, [b, {c, '...'}], #{e => {f}}}},
             {#{depth => 4}, Deep, Deep},
             {#{depth => 64}, nested(63), nested(63)},
             {#{size => 6}, Seq, [1, 2, 3 | '...']},
             {#{size => 200}, Seq, Seq},
             {#{size => 5}, list_to_tuple(Seq), {1, 2, 3, '...'}},
             {#{size => 1}, list_to_tuple(Seq), '...'},
             {#{size => 1000}, list_to_tuple(Seq), list_to_tuple(Seq)},
             {#{size => 5}, #{a => 1, b => 2}, #{a => 1, '...' => '...'}},
             {#{size => 14}, <<0:8000>>, {'...', 1000, <<0:512>>}},
             {#{size => 14}, <<0:640>>, <<0:640>>},
             {#{size => 2}, 1 bsl 1000, '...'},
             {#{size => 1, depth => 1}, atom, atom},
             {#{size => 3}, [a | b], [a | b]}]].

nested(0) -> x;
nested(N) -> {nested(N - 1)}.

%% As an argument, a message and a result.
cut(Limit, Term) ->
    S = session(Limit),
    P = traced(S, [call, send]),
    1 = trace:function(S, {?MODULE, f, 1}, [{'_', [], [{return_trace}]}], [local]),
    run(P, fun() -> f(Term), self() ! Term, receive Term -> ok end end),
    [{trace, P, call, {?MODULE, f, [Cut]}}, {trace, P, return_from, {?MODULE, f, 1}, Cut}, {trace, P, send, Cut, P} |
     _] = stop(S, P),
    Cut.

time_test() ->
    {_, Weak} = S = session(#{time => 50}),
    P = traced(S, [call]),
    1 = trace:function(S, {?MODULE, f, 1}, [], [local]),
    run(P, fun() -> down(10) end),
    All = rest(Weak, time),
    ?assertEqual(10, length(All)),
    ?assertNot(lists:member(Weak, trace:session_info(all))),
    ?assertEqual(false, trace:session_destroy(S)),
    ?assertEqual([], trace:session_info({?MODULE, f, 1})),
    run(P, fun() -> down(10) end),
    ?assertEqual({message_queue_len, 0}, process_info(self(), message_queue_len)),
    unlink(P),
    exit(P, kill).

owner_test() ->
    Owner = spawn(fun() -> receive stop -> ok end end),
    {_, Weak} = session(#{owner => Owner}),
    true = lists:member(Weak, trace:session_info(all)),
    Owner ! stop,
    ?assertEqual([], rest(Weak, owner)).

%% The process that looks after a session goes with it.
keeper_test() ->
    Before = length(processes()),
    [trace:session_destroy(session(#{time => 3600000})) || _ <- lists:seq(1, 20)],
    [receive {trace_ended, _, destroyed} -> ok end || _ <- lists:seq(1, 20)],
    less_than(Before + 3, 6000).

less_than(Most, N) ->
    case length(processes()) of
        Now when Now =< Most -> ok;
        Now when N =:= 0 -> error({processes, Now, Most});
        _ -> timer:sleep(10), less_than(Most, N - 1)
    end.

%% What is left unsaid is said though nothing more happens.
said_after_a_while_test() ->
    {_, Weak} = S = session(#{events => 1, burst => 1, time => 3600000}),
    P = traced(S, [call]),
    1 = trace:function(S, {?MODULE, f, 1}, [], [local]),
    run(P, fun() -> down(100) end),
    {dropped, D} = trace:info(S, {?MODULE, f, 1}, dropped),
    ?assertEqual(D, said(Weak, D, 0)),
    stop(S, P).

said(_, D, D) -> D;
said(Weak, D, Said) ->
    receive {trace_dropped, Weak, _, #{events := N}} -> said(Weak, D, Said + N)
    after 5000 -> Said
    end.

refused_test_() ->
    [{lists:flatten(io_lib:format("~p", [L])),
      ?_assertError(badarg, trace:session_create(limited, self(), [{limit, L}]))} ||
        L <- [[], #{events => 0}, #{events => 1000000001}, #{events => a}, #{burst => 3}, #{bytes => 0},
              #{share => 1001}, #{share => 0}, #{depth => 0}, #{depth => 65}, #{size => 0}, #{time => 0},
              #{time => soon}, #{owner => me}, #{else => 1}, #{events => 1, bytes => -1}]].

%% Many processes on all schedulers: nothing is lost, and nothing is told twice.
flood_test_() -> {timeout, 120, fun() -> flood(20, 2000) end}.

flood(Processes, Calls) ->
    S = session(#{events => 5000, burst => 100, bytes => 100000}),
    1 = trace:function(S, {?MODULE, f, 1}, [], [local]),
    Ps = [traced(S, [call]) || _ <- lists:seq(1, Processes)],
    [P ! {self(), fun() -> down(Calls) end} || P <- Ps],
    [receive {P, ok} -> ok end || P <- Ps],
    {dropped, D} = trace:info(S, {?MODULE, f, 1}, dropped),
    true = trace:session_destroy(S),
    All = rest(S),
    [begin unlink(P), exit(P, kill) end || P <- Ps],
    ?assertEqual(Processes * Calls, D + length(told(All))),
    ?assertEqual(D, dropped(All)).
