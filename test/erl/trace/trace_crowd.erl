%% Two hundred sessions at once, of all kinds: with limits, sums, tracers that are processes, C and Erlang, that crash,
%% die or do not read, and with owners that die. They switch patterns on what all the others trace as well, and on a
%% module that is replaced meanwhile. Each that is to be told something is told exactly that; at the end no session,
%% breakpoint or process is left, and memory is what it was.
-module(trace_crowd).
-export([main/0, main/1, work/2]).
-include("../deep.hrl").
-define(M, trace_soak_m).
-define(CROWD, 200). % sessions that stay
-define(AT_ONCE, 24). % that come and go
-define(CALLS, 50).
-define(SLACK, 3000000). % bytes

main() -> main([deep(1500, 30000)]).

main([Milliseconds]) ->
    ok = logger:set_primary_config(level, none), % of tracers that crash
    {module, _} = code:ensure_loaded(trace_crowd_tracer),
    compile_tracer(),
    Template = trace_soaked:load(),
    use_all_slots(),
    crowd(Template, Milliseconds div 4),
    Before = settled(),
    crowd(Template, Milliseconds),
    back_to(Before, 100),
    io:format("done~n").

%% --- what is traced --------------------------------------------------------------------------------------------------

work(_, 0) -> ok;
work(Tag, N) -> {_, _} = work_on(Tag, N), work(Tag, N - 1).
work_on(Tag, N) -> {Tag, N}.

%% One that makes ?CALLS + 1 calls of work/2, when it may.
worker() -> spawn_monitor(fun() -> receive go -> work(self(), ?CALLS) end end).

done({P, M}) -> P ! go, down({P, M}).
down({P, M}) -> receive {'DOWN', M, process, P, Reason} -> normal = Reason end.

numbers() -> lists:seq(?CALLS, 0, -1).

%% They do what sessions trace, all the time.
load(Others) ->
    [?M:f(load, I) || I <- lists:seq(1, 10)],
    work(load, 5),
    {_, M} = spawn_monitor(fun() -> catch register(trace_crowd_name, self()) end),
    receive {'DOWN', M, _, _, _} -> ok end,
    [O ! load || O <- Others],
    drop(),
    receive {others, New} -> load(New); {stop, From} -> From ! {self(), ok} after 5 -> load(Others) end.

drop() -> receive load -> drop() after 0 -> ok end.

%% --- the crowd -------------------------------------------------------------------------------------------------------

crowd(Template, Milliseconds) ->
    Loader = trace_soaked:loader(Template),
    Load = [spawn_link(fun() -> load([]) end) || _ <- lists:seq(1, 4)],
    [P ! {others, Load} || P <- Load],
    Main = self(),
    Members = [spawn_monitor(fun() -> rand:seed(exsplus, {I, Milliseconds, ?CROWD}), begins(Main) end)
               || I <- lists:seq(1, ?CROWD)],
    [receive {P, is_there} -> ok end || {P, _} <- Members],
    true = length(trace:session_info(all)) > ?CROWD,
    End = erlang:monotonic_time(millisecond) + Milliseconds,
    Gate = spawn_link(fun() -> gate(End, ?AT_ONCE) end),
    [P ! {go, Gate} || {P, _} <- Members],
    [receive {'DOWN', M, process, P, Reason} -> normal = Reason end || {P, M} <- Members],
    [trace_soaked:stop(P) || P <- [Gate, Loader | Load]],
    over().

%% Its first session stays, idle, for as long as it is there.
begins(Main) ->
    S = trace:session_create(crowd, self(), []),
    trace:process(S, Main, true, [call]),
    chance(10) andalso trace:function(S, {?MODULE, work, 2}, true, [local]),
    Main ! {self(), is_there},
    receive {go, Gate} -> member(Gate, rand:uniform(length(kinds()))) end,
    true = trace:session_destroy(S).

%% Each kind in its turn, from anywhere on.
member(Gate, I) ->
    Gate ! {may_go, self()},
    receive
        {Gate, true} ->
            (lists:nth(1 + I rem length(kinds()), kinds()))(),
            Gate ! done,
            member(Gate, I + 1);
        {Gate, false} -> ok
    end.

%% So many at a time as can be done in a moment, however slow the machine is; none when the time is over.
gate(End, Left) ->
    receive
        done -> gate(End, Left + 1);
        {may_go, P} when Left > 0 ->
            IsOpen = erlang:monotonic_time(millisecond) < End,
            P ! {self(), IsOpen},
            gate(End, Left - (if IsOpen -> 1; true -> 0 end));
        {stop, From} -> From ! {self(), ok}
    end.

kinds() ->
    [fun told/0, fun limited/0, fun does_not_read/0, fun switches/0, fun summed/0, fun told_by_c/0, fun removed_by_c/0,
     fun told_by_erlang/0, fun crashes/0, fun tracer_dies/0, fun owner_dies/0, fun time_is_over/0, fun dropped/0,
     fun switches/0].

session(Tracer, Limit) ->
    trace:session_create(crowd, Tracer, [{limit, Limit} || Limit =/= #{}] ++ [{reload, keep} || chance(2)]).

chance(N) -> rand:uniform(N) =:= 1.
one_of(List) -> lists:nth(rand:uniform(length(List)), List).

traces_work(S, P) -> traces_work(S, P, true).
traces_work(S, P, Spec) ->
    1 = trace:function(S, {?MODULE, work, 2}, Spec, [local]),
    1 = trace:process(S, P, true, [call]).

%% --- what is told exactly --------------------------------------------------------------------------------------------

told() ->
    Tracer = trace_soaked:tracer(),
    S = session(Tracer, #{}),
    {P, _} = W = worker(),
    traces_work(S, P, [{'_', [], [{message, {self}}]}]),
    1 = trace:process(S, P, true, [procs]),
    done(W),
    Told = trace_soaked:taken(S, Tracer, P),
    {true, Told} = {numbers() =:= [N || {trace, Q, call, {?MODULE, work, [_, N]}, Q} <- Told, Q =:= P], Told},
    {trace, P, exit, normal} = lists:last(Told),
    true = trace:session_destroy(S),
    Late = worker(),
    done(Late),
    unlink(Tracer),
    exit(Tracer, kill).

%% Told and dropped are together what happened, whatever the limit is; the end comes last.
limited() ->
    All = [{events, one_of([1, 100, 1000000])}, {burst, one_of([1, 20])}, {bytes, one_of([100, 5000, 10000000])},
           {share, one_of([1, 1000])}, {depth, 2}, {size, one_of([1, 10])}],
    Limit = maps:from_list([hd(All) | [L || L <- tl(All), chance(2)]]),
    {_, Weak} = S = session(self(), Limit),
    {P, _} = W = worker(),
    traces_work(S, P),
    done(W),
    {dropped, Dropped} = trace:info(S, {?MODULE, work, 2}, dropped),
    true = trace:session_destroy(S),
    false = trace:session_destroy(S),
    {Told, Said} = told_and_dropped(Weak, destroyed),
    {?CALLS + 1, Dropped} =:= {Told + Said, Said} orelse exit({Limit, Told, Said, Dropped}).

told_and_dropped(Weak, Reason) -> told_and_dropped(Weak, Reason, 0, 0).
told_and_dropped(Weak, Reason, Told, Dropped) ->
    receive
        {trace, _, call, {?MODULE, work, _}} -> told_and_dropped(Weak, Reason, Told + 1, Dropped);
        {trace_dropped, Weak, _, Counts} ->
            told_and_dropped(Weak, Reason, Told, Dropped + lists:sum(maps:values(Counts)));
        {trace_ended, Weak, Reason} ->
            receive {trace, _, call, {?MODULE, work, _}} = Late -> exit({late, Late}) after 0 -> {Told, Dropped} end
    end.

%% Its reader has stopped: no more comes than its limit allows.
does_not_read() ->
    Member = self(),
    Reader = spawn_link(fun() ->
                                receive
                                    {read, Weak} -> Member ! {self(), told_and_dropped(Weak, destroyed)}
                                end
                        end),
    {_, Weak} = S = session(Reader, #{bytes => 2000}),
    Workers = [worker() || _ <- [1, 2, 3]],
    [traces_work(S, P) || {P, _} <- Workers],
    [P ! go || {P, _} <- Workers],
    [down(W) || W <- Workers],
    {dropped, Dropped} = trace:info(S, {?MODULE, work, 2}, dropped),
    true = Dropped > 0,
    true = trace:session_destroy(S),
    Reader ! {read, Weak},
    receive {Reader, {Told, Dropped}} -> 3 * (?CALLS + 1) = Told + Dropped end.

%% Of its own worker, whoever else calls the function and changes what is traced there.
summed() ->
    S = session(self(), #{}),
    {P, _} = W = worker(),
    1 = trace:function(S, {?MODULE, work, 2}, [{['_', '$1'], [], []}],
                       [{sum, #{key => [process, {expression, {'rem', '$1', 2}}], value => {expression, '$1'},
                                histogram => chance(2), only => traced}}]),
    1 = trace:process(S, P, true, [call]),
    done(W),
    {sum, #{rows := Rows, other := {other, #{count := 0}}, invalid := 0}} = trace:info(S, {?MODULE, work, 2}, sum),
    [{[P, 0], Even}, {[P, 1], Odd}] = lists:sort([{K, {N, Sum}} || {K, #{count := N, sum := Sum}} <- Rows]),
    {Even, Odd} = {figures(0), figures(1)},
    true = trace:session_destroy(S).

figures(Rest) ->
    Of = [N || N <- numbers(), N rem 2 =:= Rest],
    {length(Of), lists:sum(Of)}.

%% --- tracers that are modules ----------------------------------------------------------------------------------------

told_by_c() ->
    S = session({trace_crowd_tracer, {self(), #{}}}, #{}),
    {P, _} = W = worker(),
    traces_work(S, P),
    done(W),
    All = numbers(),
    All = told_by_module(P),
    true = trace:session_destroy(S).

told_by_module(P) ->
    receive
        {told, trace, call, P, {?MODULE, work, [_, N]}, _, _} -> [N | told_by_module(P)];
        {asked, _, _, P, _} -> told_by_module(P)
    after 0 -> []
    end.

removed_by_c() ->
    S = session({trace_crowd_tracer, {self(), #{call => remove}}}, #{}),
    {P, _} = W = worker(),
    traces_work(S, P),
    done(W),
    [] = told_by_module(P),
    true = trace:session_destroy(S).

told_by_erlang() ->
    T = viv_tracer:start(trace_crowd_clauses, {to, self()}, #{}),
    S = session(T, #{}),
    {P, _} = W = worker(),
    traces_work(S, P),
    done(W),
    true = viv_tracer:sync(T),
    All = numbers(),
    All = told_by_clauses(P),
    chance(2) andalso trace:session_destroy(S),
    true = viv_tracer:stop(T),
    [] = told_by_clauses(P),
    trace:session_destroy(S).

told_by_clauses(P) ->
    receive {told, call, P, {?MODULE, work, [_, N]}} -> [N | told_by_clauses(P)] after 0 -> [] end.

%% It fails at its first call; the process goes on.
crashes() ->
    T = viv_tracer:start(trace_crowd_clauses, {fails, now}, #{}),
    S = session(T, #{}),
    {P, _} = W = worker(),
    traces_work(S, P),
    done(W),
    until(fun() -> not viv_tracer:sync(T) end),
    trace:session_destroy(S).

%% enabled/3 is a match program, trace/5 a function that runs in a process.
compile_tracer() ->
    Text = "-module(trace_crowd_clauses). -export([enabled/3, trace/5]).\n"
        "enabled(_, {to, Pid}, Pid) -> discard; enabled(_, _, _) -> trace.\n"
        "trace(Tag, {to, Pid}, Tracee, Term, _) -> Pid ! {told, Tag, Tracee, Term}.\n",
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, M, Code} = compile:forms(forms(Tokens, []) ++ [{eof, 9}], [{parse_transform, viv_tracer}]),
    {module, M} = code:load_binary(M, "none", Code).

forms([], []) -> [];
forms([{dot, _} = Dot | Rest], Form) ->
    {ok, Parsed} = erl_parse:parse_form(lists:reverse(Form, [Dot])),
    [Parsed | forms(Rest, [])];
forms([Token | Rest], Form) -> forms(Rest, [Token | Form]).

%% --- ends ------------------------------------------------------------------------------------------------------------

%% In the middle of it; a session with a limit ends with it.
tracer_dies() ->
    Tracer = spawn(fun swallow/0),
    {_, Weak} = S = session(Tracer, one_of([#{}, #{events => 1000}])),
    {P, _} = W = worker(),
    IsLimited = try
                    traces_work(S, P, [{'_', [], [{return_trace}]}]),
                    P ! go,
                    exit(Tracer, kill),
                    false
                catch error:badarg -> true
                end,
    IsLimited andalso (P ! go),
    down(W),
    trace:session_destroy(S),
    until(fun() -> is_gone(Weak) end).

swallow() -> receive _ -> swallow() end.

owner_dies() ->
    Owner = spawn(fun() -> receive never -> ok end end),
    {_, Weak} = S = session(self(), #{owner => Owner}),
    {P, _} = W = worker(),
    traces_work(S, P),
    P ! go,
    exit(Owner, kill),
    {Told, 0} = told_and_dropped(Weak, owner),
    true = Told =< ?CALLS + 1,
    down(W),
    false = trace:session_destroy(S).

time_is_over() ->
    {_, Weak} = S = session(self(), #{time => one_of([1, 5, 20])}),
    {P, _} = W = worker(),
    try traces_work(S, P) catch error:badarg -> over end,
    P ! go,
    {Told, 0} = told_and_dropped(Weak, time),
    true = Told =< ?CALLS + 1,
    down(W),
    false = trace:session_destroy(S).

%% Whoever has it ends, with all patterns in place.
dropped() ->
    {_, M} = spawn_monitor(fun() ->
                                   S = session(self(), #{}),
                                   trace:process(S, new, true, [call]),
                                   trace:function(S, {?MODULE, work, '_'}, true, [local, call_count]),
                                   exit(S)
                           end),
    receive {'DOWN', M, process, _, {_, Weak}} -> until(fun() -> is_gone(Weak) end) end.

is_gone(Weak) -> not lists:member(Weak, trace:session_info(all)).

%% --- what others are in the middle of --------------------------------------------------------------------------------

switches() ->
    Tracer = spawn_link(fun swallow/0),
    S = session(Tracer, one_of([#{}, #{events => 100}, #{bytes => 10000, depth => 3}])),
    [switch(S) || _ <- lists:seq(1, 5)],
    chance(2) andalso trace:session_destroy(S),
    unlink(Tracer),
    exit(Tracer, kill).

%% Of all not how they run, and no function that tracers call: they would tell each other what they tell each other.
switch(S) ->
    trace:process(S, one_of([new, existing, all]), chance(2), [one_of([call, procs])]),
    What = one_of([on_load | [{?M, F, A} || {F, A} <- [{'_', '_'}, {f, 2}]] ++
                       [{?MODULE, F, A} || {F, A} <- [{work, '_'}, {work, 2}, {work_on, 2}]]]),
    Spec = one_of([true, [{'_', [], [{return_trace}]}], [{'_', [], [{exception_trace}, {message, {caller}}]}],
                   [{'_', [], [{message, false}]}]]),
    case rand:uniform(3) of
        1 -> trace:function(S, What, Spec, [one_of([local, global, meta])]);
        2 -> trace:function(S, What, false, [one_of([local, global, meta, call_count, call_time, call_memory])]);
        3 -> trace:function(S, What, true, [one_of([call_count, call_time, call_memory, {sum, #{key => process}}])])
    end,
    trace:info(S, {?MODULE, work, 2}, one_of([all, traced, call_count, call_time, sum, dropped])).

%% --- nothing is left -------------------------------------------------------------------------------------------------

over() ->
    until(fun() -> trace:session_info(all) =:= [{legacy, default}] end),
    [until(fun() -> trace:session_info(MFA) =:= [] end) || MFA <- [{?M, f, 2}, {?MODULE, work, 2}]],
    [] = trace:session_info(new),
    [] = trace:session_info(on_load),
    [] = trace:session_info(self()),
    [{all, false} = erlang:trace_info(MFA, all) || MFA <- [{?M, f, 2}, {?MODULE, work, 2}, {?MODULE, work_on, 2}]].

until(Fun) -> Fun() orelse begin erlang:garbage_collect(), receive after 5 -> ok end, until(Fun) end.

%% The table of processes grows until each slot has been used once.
use_all_slots() -> [spawn(fun() -> ok end) || _ <- lists:seq(1, erlang:system_info(process_limit))].

settled() ->
    receive after 50 -> ok end,
    [erlang:garbage_collect(P) || P <- processes()],
    [{processes, length(processes())} | erlang:memory([system, processes_used])].

back_to(Before, Tries) ->
    Now = settled(),
    Grown = [{K, V, N} || {{K, V}, {K, N}} <- lists:zip(Before, Now),
                          N > V + (if K =:= processes -> 0; true -> ?SLACK end)],
    Grown =:= [] orelse Tries > 0 orelse exit({left, Grown}),
    Grown =:= [] orelse back_to(Before, Tries - 1).
