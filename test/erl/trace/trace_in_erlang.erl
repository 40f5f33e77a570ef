%% Tracers in Erlang: {viv_tracer, Handle}, wherever a tracer may stand. The modules are compiled here, by the parse
%% transform that records their clauses; the stock runtime has no such tracers.
%% Not under torture: heaps are collected at every chance, which is told.
-module(trace_in_erlang).
-export([main/0]).
-export([called/1, returns/1, fails/1, within/1, server/0]).

main() ->
    compile_tracer(told_tracer, ""),
    [begin io:format("~s:~n", [Name]), Test() end
     || {Name, Test} <-
            [{"calls", fun calls/0}, {"calls refused by a clause", fun refused/0}, {"send and receive", fun messages/0},
             {"procs", fun procs/0}, {"running", fun running/0}, {"gc", fun collections/0}, {"ports", fun ports/0},
             {"options", fun options/0}, {"meta", fun meta/0}, {"the action trace", fun action/0}, {"dbg", fun debugger/0},
             {"seq_trace", fun tokens/0}, {"sessions", fun sessions/0}, {"what is cut", fun cut/0},
             {"removes", fun removes/0}, {"a callback that fails", fun fails_to_tell/0},
             {"no clause", fun no_clause/0}, {"a flood", fun flood/0}, {"its owner ends", fun owner/0}, {"its time is over", fun time/0},
             {"stopped with a callback that hangs", fun hangs/0}, {"stopped by itself", fun stops_itself/0},
             {"nobody has it", fun garbage/0}, {"nobody has it but who asks", fun kept_while_asked/0}, {"code that is replaced", fun replaced/0}, {"by hand", fun by_hand/0},
             {"what is refused", fun mistakes/0}]],
    io:format("left: ~p~n", [settled(fun sessions_left/0, [])]).

sessions_left() -> trace:session_info(all) -- [{legacy, default}].

%% --- The tracer's module ---

compile_tracer(Module, More) -> load_source(Module,
    "-export([enabled/3, enabled_call/3, enabled_running_procs/3, trace/5, trace_call/5, trace_send/5]).\n"
    "-record(state, {to, but = none}).\n"
    "enabled(trace_status, {state, _, _}, _) -> trace;\n"
    "enabled(Tag, #state{but = Tag}, _) -> discard;\n"
    "enabled(Tag, #state{but = {remove, Tag}}, _) -> remove;\n"
    "enabled(_, S, Pid) when Pid =:= S#state.to; element(1, S) =/= state -> discard;\n"
    "enabled(Tag, #state{but = [first | Tags]}, _) when Tag =:= hd(Tags); length(Tags) > 1, Tag =:= hd(tl(Tags)) ->\n"
    "    discard;\n"
    "enabled(_, _, _) -> trace.\n"
    "enabled_call(_, #state{but = calls}, _) -> discard;\n"
    "enabled_call(_, _, _) -> trace.\n"
    "enabled_running_procs(Tag, _, Pid) when is_pid(Pid), Tag =:= in orelse Tag =:= out -> trace;\n"
    "enabled_running_procs(_, _, _) -> discard.\n"
    "trace(Tag, #state{to = To}, Tracee, Term, Options) -> To ! {trace, Tag, Tracee, Term, Options}.\n"
    "trace_call(Tag, #state{to = To}, Tracee, Term, Options) -> To ! {trace_call, Tag, Tracee, Term, Options}.\n"
    "trace_send(Tag, #state{to = To}, Tracee, Term, Options) -> To ! {trace_send, Tag, Tracee, Term, Options}.\n" ++ More).

load_source(Module, Text) ->
    {ok, Tokens, _} = erl_scan:string(lists:flatten(io_lib:format("-module(~w).\n", [Module])) ++ Text, 1),
    {ok, Module, Code} = compile:forms(forms(Tokens, []) ++ [{eof, 100}], [{parse_transform, viv_tracer}]),
    code:purge(Module),
    {module, Module} = code:load_binary(Module, "none", Code).

forms([], []) -> [];
forms([{dot, _} = Dot | Rest], Form) ->
    {ok, Parsed} = erl_parse:parse_form(lists:reverse(Form, [Dot])),
    [Parsed | forms(Rest, [])];
forms([Token | Rest], Form) -> forms(Rest, [Token | Form]).

start() -> start(none).
start(But) -> start(But, #{}).
start(But, Options) -> viv_tracer:start(told_tracer, {state, self(), But}, Options).

%% What was told, when all has been.
told(Tracer) ->
    true = viv_tracer:stop(Tracer),
    Told = taken(),
    {trace, trace_ended, {told_tracer, _}, destroyed, #{}} = lists:last(Told),
    lists:droplast(Told).
taken() ->
    receive
        {Function, Tag, Tracee, Term, Options} when is_atom(Function), is_map(Options) ->
            [{Function, Tag, Tracee, Term, Options} | taken()]
    after 0 -> []
    end.

%% --- What is traced ---

called(X) -> X.
returns(X) -> {returned, called(X)}.
fails(X) -> error(X).
within(X) -> [returns(X)].

server() ->
    receive
        {call, From, Fun} -> From ! {self(), catch Fun()}, server();
        stop -> ok
    end.
run(Pid, Fun) -> Pid ! {call, self(), Fun}, receive {Pid, Result} -> Result end.
end_of(Pid) ->
    Monitor = monitor(process, Pid),
    Pid ! stop,
    receive {'DOWN', Monitor, _, _, _} -> ok end.

with(Flags, {viv_tracer, Handle} = Tracer, Fun) ->
    Pid = spawn(fun server/0),
    1 = erlang:trace(Pid, true, [{tracer, viv_tracer, Handle} | Flags]),
    Tracer = erlang:delete_element(1, {tracer, element(1, Tracer), element(2, Tracer)}),
    run(Pid, Fun),
    1 = erlang:trace(Pid, false, [all]),
    Told = told(Tracer),
    [] = [Tracee || {_, _, Tracee, _, _} <- Told, Tracee =/= Pid, is_pid(Tracee)],
    end_of(Pid),
    Told.

show(Told) -> [io:format("  ~w ~w ~0p ~0p~n", [Function, Tag, named(Term), named(Options)])
               || {Function, Tag, _, Term, Options} <- Told], ok.
named(Pid) when is_pid(Pid); is_port(Pid); is_reference(Pid) -> '*';
named(Fun) when is_function(Fun) -> 'fun';
named([Head | Tail]) -> [named(Head) | named(Tail)];
named(Tuple) when is_tuple(Tuple) -> list_to_tuple(named(tuple_to_list(Tuple)));
named(#{} = Map) -> maps:map(fun(_, Value) -> named(Value) end, Map);
named(Other) -> Other.

patterns(Specification, Kinds) ->
    [1 = erlang:trace_pattern({?MODULE, F, 1}, Specification, Kinds) || F <- [called, returns, fails]].

calls() ->
    patterns([{'_', [], [{exception_trace}]}], [local]),
    show(with([call], start(), fun() -> within({a, "b"}), catch fails(c) end)),
    patterns(true, [local]),
    show(with([call, return_to, arity], start(), fun() -> within(d) end)),
    patterns(false, [local]).

refused() ->
    patterns(true, [local]),
    show(with([call], start(calls), fun() -> within(a) end)),
    patterns(false, [local]).

messages() ->
    show(with([send, 'receive'], start(), fun() -> self() ! {to, me}, receive {to, me} -> ok end end)),
    show(with([send, 'receive'], start(send), fun() -> self() ! {to, me}, receive {to, me} -> ok end end)),
    show(with([send, 'receive'], start([first, send, 'receive']), fun() -> self() ! {to, me} end)),
    Gone = spawn(fun() -> ok end),
    end_of(Gone),
    show(with([send], start(send), fun() -> Gone ! a end)).

procs() ->
    show(with([procs], start(), fun() -> register(a_name, self()), unregister(a_name),
                                         Child = spawn_link(fun server/0), unlink(Child), Child ! stop end)),
    {viv_tracer, Handle} = Tracer = start(),
    Pid = spawn(fun server/0),
    1 = erlang:trace(Pid, true, [procs, {tracer, viv_tracer, Handle}]),
    end_of(Pid),
    show(told(Tracer)).

running() ->
    Told = with([running], start(), fun() -> erlang:yield(), erlang:yield() end),
    io:format("  ~p ~p~n", [lists:usort([{F, Tag} || {F, Tag, _, _, _} <- Told]), length(Told) >= 4]).

collections() ->
    Told = with([garbage_collection], start(), fun() -> erlang:garbage_collect() end),
    io:format("  ~p ~p~n", [lists:usort([{F, Tag} || {F, Tag, _, _, _} <- Told]),
                            lists:usort([is_integer(proplists:get_value(heap_size, Term)) || {_, _, _, Term, _} <- Told])]).

ports() ->
    {viv_tracer, Handle} = Tracer = start(),
    erlang:trace(new_ports, true, [ports, {tracer, viv_tracer, Handle}]),
    Port = open_port({spawn, "cat"}, []),
    port_command(Port, "a"),
    receive {Port, {data, "a"}} -> ok end,
    port_close(Port),
    erlang:trace(new_ports, false, [ports]),
    Told = told(Tracer),
    [] = [T || {_, _, P, _, _} = T <- Told, P =/= Port],
    io:format("  ~p~n", [[Tag || {trace, Tag, _, _, _} <- Told]]).

options() ->
    patterns([{'_', [], [{message, {{said, {self}}}}]}], [local]),
    Before = erlang:monotonic_time(),
    Told = with([call, monotonic_timestamp, scheduler_id], start(), fun() -> called(a) end),
    patterns(false, [local]),
    [{trace_call, call, Pid, _, #{match_spec_result := {said, Pid}, scheduler_id := N, timestamp := Time} = All}] = Told,
    io:format("  ~p ~p ~p~n", [is_integer(N), Time >= Before andalso Time =< erlang:monotonic_time(), map_size(All)]).

meta() ->
    {viv_tracer, Handle} = Tracer = start(),
    1 = erlang:trace_pattern({?MODULE, called, 1}, [{['$1'], [{is_atom, '$1'}], [{return_trace}]}],
                             [{meta, viv_tracer, Handle}]),
    io:format("  ~p~n", [{meta, Tracer} =:= erlang:trace_info({?MODULE, called, 1}, meta)]),
    called(yes),
    called(1),
    Told = told(Tracer),
    called(more),
    show([{F, Tag, P, Term, maps:remove(timestamp, O)} || {F, Tag, P, Term, #{timestamp := {_, _, _}} = O} <- Told]),
    io:format("  ~p ~p~n", [erlang:trace_info({?MODULE, called, 1}, meta), taken()]),
    1 = erlang:trace_pattern({?MODULE, called, 1}, false, [meta]).

action() ->
    {viv_tracer, Handle} = Tracer = start(),
    Keeper = spawn(fun server/0),
    1 = erlang:trace_pattern({?MODULE, called, 1}, [{[on], [], [{trace, [], [send, {{tracer, viv_tracer, Handle}}]}]},
                                                    {[off], [], [{trace, [all], []}]}], [meta]),
    run(Keeper, fun() -> called(on), self() ! seen, called(off), self() ! unseen end),
    receive {trace_ts, _, call, _, _} -> ok end,
    receive {trace_ts, _, call, _, _} -> ok end,
    1 = erlang:trace_pattern({?MODULE, called, 1}, false, [meta]),
    end_of(Keeper),
    show(told(Tracer)).

debugger() ->
    Tracer = start(),
    {ok, _} = dbg:tracer(module, Tracer),
    Pid = spawn(fun server/0),
    {ok, _} = dbg:p(Pid, [c]),
    {ok, _} = dbg:tpl(?MODULE, called, 1, []),
    run(Pid, fun() -> within(dbg) end),
    dbg:ctpl(),
    Told = told(Tracer),
    dbg:stop_clear(),
    end_of(Pid),
    show(Told).

tokens() ->
    Tracer = start(),
    false = seq_trace:set_system_tracer(Tracer),
    Pid = spawn(fun server/0),
    seq_trace:set_token(label, {a, "label"}),
    seq_trace:set_token(send, true),
    seq_trace:set_token('receive', true),
    Pid ! {call, self(), fun() -> ok end},
    receive {Pid, ok} -> ok end,
    seq_trace:set_token([]),
    io:format("  ~p~n", [Tracer =:= seq_trace:get_system_tracer()]),
    Told = told(Tracer),
    seq_trace:set_system_tracer(false),
    end_of(Pid),
    io:format("  ~p ~p~n", [lists:usort([Label || {trace, seq_trace, Label, _, _} <- Told]),
                            [element(1, Info) || {_, _, _, Info, _} <- Told]]).

sessions() ->
    [sessions(Options) || Options <- [[], [{limit, #{events => 1000000}}]]].
sessions(Options) ->
    Tracer = start(),
    Session = trace:session_create(of_a_tracer, Tracer, Options),
    Pid = spawn(fun server/0),
    1 = trace:process(Session, Pid, true, [call]),
    1 = trace:function(Session, {?MODULE, called, 1}, true, [local]),
    run(Pid, fun() -> within(session) end),
    true = trace:session_destroy(Session),
    end_of(Pid),
    show(told(Tracer)).

cut() ->
    patterns([{'_', [], [{return_trace}]}], [local]),
    show(with([call], start(none, #{depth => 2, size => 20}), fun() -> called({a, [{b, c}], lists:seq(1, 5)}) end)),
    patterns(false, [local]).

removes() ->
    {viv_tracer, Handle} = Tracer = start({remove, send}),
    Pid = spawn(fun server/0),
    1 = erlang:trace(Pid, true, [send, 'receive', {tracer, viv_tracer, Handle}]),
    run(Pid, fun() -> self() ! me, receive me -> ok end end),
    run(Pid, fun() -> ok end),
    io:format("  ~p~n", [erlang:trace_info(Pid, flags)]),
    end_of(Pid),
    show(told(Tracer)).

%% --- How it ends ---

%% The traced process goes on, whatever its tracer does; its flags are gone.
fails_to_tell() ->
    load_source(failing_tracer, "-export([enabled/3, trace/5]).\nenabled(_, _, _) -> trace.\n"
                                "trace(_, State, _, _, _) -> exit(State).\n"),
    {_, Handle} = Tracer = viv_tracer:start(failing_tracer, on_purpose),
    logged(fun() -> ends_with_flags(Tracer, Handle) end).

no_clause() ->
    load_source(partial_tracer, "-export([enabled/3, enabled_send/3, trace/5]).\nenabled(_, _, _) -> trace.\n"
                                "enabled_send(other, _, _) -> trace.\ntrace(_, _, _, _, _) -> ok.\n"),
    {_, Handle} = Tracer = viv_tracer:start(partial_tracer, []),
    logged(fun() -> ends_with_flags(Tracer, Handle) end).

ends_with_flags(Tracer, Handle) ->
    {_, Host} = viv_tracer:guard_of(Handle),
    Monitor = monitor(process, Host),
    Pid = spawn(fun server/0),
    1 = erlang:trace(Pid, true, [send, {tracer, viv_tracer, Handle}]),
    [ok = run(Pid, fun() -> ok end) || _ <- lists:seq(1, 10)],
    receive {'DOWN', Monitor, _, _, Reason} -> io:format("  ~p~n", [Reason]) end,
    io:format("  ~p~n", [settled(fun() -> viv_tracer:enabled(trace_status, Handle, Pid) end, remove)]),
    ok = run(Pid, fun() -> ok end),
    io:format("  ~p ~p ~p~n", [erlang:trace_info(Pid, flags), viv_tracer:stop(Tracer), viv_tracer:sync(Tracer)]),
    end_of(Pid).

%% What is logged meanwhile, its first line.
logged(Fun) ->
    To = self(),
    ok = logger:add_handler(?MODULE, told_log, #{config => To}),
    Fun(),
    receive {logged, Text} -> io:format("  ~s~n", [hd(string:split(Text, "\n", all))]) end,
    ok = logger:remove_handler(?MODULE).

%% A callback that waits until the flood is over: no more waits for it than it may, and all that happened is told or
%% said to be dropped.
flood() ->
    Bytes = 200000,
    load_source(slow_tracer, "-export([enabled/3, trace/5]).\nenabled(_, _, _) -> trace.\n"
                             "trace(trace_dropped, {To, _}, _, {_, Counts}, _) -> To ! {dropped, Counts};\n"
                             "trace(trace_ended, {To, _}, _, Reason, _) -> To ! {ended, Reason};\n"
                             "trace(_, {To, _}, _, _, _) ->\n"
                             "    case get(waited) of undefined -> put(waited, true), receive go -> ok end; true -> ok end,\n"
                             "    To ! one.\n"),
    {_, Handle} = Tracer = viv_tracer:start(slow_tracer, {self(), some}, #{bytes => Bytes}),
    {_, Host} = viv_tracer:guard_of(Handle),
    patterns(true, [local]),
    N = 20000,
    Pids = [spawn(fun server/0) || _ <- lists:seq(1, 4)],
    [1 = erlang:trace(Pid, true, [call, {tracer, viv_tracer, Handle}]) || Pid <- Pids],
    [Pid ! {call, self(), fun() -> [called({some, I}) || I <- lists:seq(1, N)], ok end} || Pid <- Pids],
    [receive {Pid, ok} -> ok end || Pid <- Pids],
    {message_queue_len, Waiting} = process_info(Host, message_queue_len),
    io:format("  waits: ~p~n", [Waiting > 0 andalso Waiting * 128 =< Bytes]),
    patterns(false, [local]),
    Host ! go,
    true = viv_tracer:stop(Tracer, infinity),
    {Told, Dropped, Reason} = counted(0, 0),
    io:format("  ~p ~p ~p~n", [Told + Dropped =:= N * length(Pids), Told > 0 andalso Dropped > 0, Reason]),
    [end_of(Pid) || Pid <- Pids].

counted(Told, Dropped) ->
    receive
        one -> counted(Told + 1, Dropped);
        {dropped, #{events := 0, bytes := N, share := 0}} -> counted(Told, Dropped + N);
        {ended, Reason} -> {Told, Dropped, Reason}
    end.

owner() ->
    Me = self(),
    Owner = spawn(fun server/0),
    {_, Handle} = Tracer = run(Owner, fun() -> viv_tracer:start(told_tracer, {state, Me, none}) end),
    {Guard, Host} = viv_tracer:guard_of(Handle),
    Monitors = [monitor(process, Pid) || Pid <- [Guard, Host]],
    Pid = spawn(fun server/0),
    1 = erlang:trace(Pid, true, [send, {tracer, viv_tracer, Handle}]),
    end_of(Owner),
    [receive {'DOWN', Monitor, _, _, _} -> ok end || Monitor <- Monitors],
    ok = run(Pid, fun() -> ok end),
    io:format("  ~p ~p~n", [erlang:trace_info(Pid, flags), viv_tracer:stop(Tracer)]),
    end_of(Pid),
    taken().

time() ->
    {_, Handle} = start(none, #{time => 1}),
    {_, Host} = viv_tracer:guard_of(Handle),
    Monitor = monitor(process, Host),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    [{trace, trace_ended, _, time, #{}}] = taken(),
    io:format("  ~p~n", [viv_tracer:enabled(send, Handle, none)]).

hangs() ->
    load_source(hanging_tracer, "-export([enabled/3, trace/5]).\nenabled(_, _, _) -> trace.\n"
                                "trace(_, To, _, _, _) -> To ! hangs, receive never -> ok end.\n"),
    {_, Handle} = Tracer = viv_tracer:start(hanging_tracer, self()),
    Pid = spawn(fun server/0),
    1 = erlang:trace(Pid, true, [send, {tracer, viv_tracer, Handle}]),
    ok = run(Pid, fun() -> ok end),
    receive hangs -> ok end,
    io:format("  ~p ~p~n", [viv_tracer:stop(Tracer, 1), viv_tracer:stop(Tracer)]),
    end_of(Pid).

stops_itself() ->
    load_source(stopping_tracer, "-export([enabled/3, trace/5]).\nenabled(_, _, _) -> trace.\n"
                                 "trace(send, To, _, {_, Tracer}, _) -> To ! {stops, viv_tracer:sync(Tracer), viv_tracer:stop(Tracer)};\n"
                                 "trace(trace_ended, To, _, Reason, _) -> To ! Reason.\n"),
    {_, Handle} = Tracer = viv_tracer:start(stopping_tracer, self()),
    Pid = spawn(fun server/0),
    1 = erlang:trace(Pid, true, [send, {tracer, viv_tracer, Handle}]),
    Tracer = run(Pid, fun() -> Tracer end),
    receive {stops, Synced, Stopped} -> io:format("  ~p ~p ", [Synced, Stopped]) end,
    receive destroyed -> io:format("~p~n", [settled(fun() -> viv_tracer:stop(Tracer) end, false)]) end,
    end_of(Pid).

garbage() ->
    {Guard, Host} = run_apart(fun() -> {_, Handle} = start(none, #{owner => none}), viv_tracer:guard_of(Handle) end),
    [begin Monitor = monitor(process, Pid), receive {'DOWN', Monitor, _, _, _} -> ok end end || Pid <- [Guard, Host]],
    io:format("  ~p~n", [settled(fun sessions_left/0, [])]).

run_apart(Fun) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({done, Fun()}) end),
    receive {'DOWN', Monitor, process, Pid, {done, Result}} -> Result end.

%% Who asks has no use for the handle but that, and is collected before there is an answer.
kept_while_asked() ->
    Self = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> ask_last(Self) end),
    Guard = receive {guard, Process} -> Process end,
    true = erlang:suspend_process(Guard),
    Pid ! stop,
    waiting = settled(fun() -> asks(Pid) end, waiting),
    true = garbage_collect(Pid),
    timer:sleep(20),
    true = erlang:resume_process(Guard),
    receive {'DOWN', Monitor, process, Pid, Answer} -> io:format("  ~p~n", [Answer]) end.

asks(Pid) ->
    {current_function, {Module, _, _}} = process_info(Pid, current_function),
    Module =:= viv_tracer andalso element(2, process_info(Pid, status)).

ask_last(To) ->
    {_, Handle} = Tracer = start(none, #{owner => none}),
    {Guard, _} = viv_tracer:guard_of(Handle),
    To ! {guard, Guard},
    receive stop -> exit(viv_tracer:stop(Tracer)) end.

%% trace/5 is the new code's, the clauses are those that it was started with.
replaced() ->
    {_, Handle} = Tracer = start(send),
    Pid = spawn(fun server/0),
    1 = erlang:trace(Pid, true, ['receive', send, {tracer, viv_tracer, Handle}]),
    run(Pid, fun() -> ok end),
    true = viv_tracer:sync(Tracer),
    show(taken()),
    load_source(told_tracer, "-export([enabled/3, trace/5]).\nenabled(_, _, _) -> discard.\n"
                             "trace(Tag, State, Tracee, Term, _) ->\n"
                             "    element(2, State) ! {trace, Tag, Tracee, Term, #{extra => new}}.\n"),
    run(Pid, fun() -> self() ! me end),
    show(told(Tracer)),
    compile_tracer(told_tracer, ""),
    end_of(Pid).

by_hand() ->
    {_, Handle} = Tracer = start(send),
    io:format("  ~p ~p~n", [viv_tracer:enabled(send, Handle, self()), viv_tracer:enabled(call, Handle, none)]),
    ok = viv_tracer:trace(call, Handle, none, term, #{extra => 1, timestamp => timestamp}),
    [{trace, call, none, term, #{extra := 1, timestamp := {_, _, _}}}] = told(Tracer),
    io:format("  ~p~n", [viv_tracer:enabled(trace_status, Handle, self())]),
    ok = viv_tracer:trace(call, Handle, none, term, #{}).

mistakes() ->
    load_source(wrong_tracer,
                "-export([enabled/3, enabled_send/3, trace/5]).\n"
                "enabled(_, _, _) -> trace.\n"
                "enabled_send(Tag, _, _) when self() =:= Tag -> trace;\n"
                "enabled_send(Tag, _, _) -> io:format(\"~p~n\", [Tag]), trace;\n"
                "enabled_send(_, {X = 1, _}, _) when X > 0 -> trace;\n"
                "enabled_send(_, <<X>>, _) when X > 0 -> trace;\n"
                "enabled_send('_', _, _) -> trace;\n"
                "enabled_send(_, #{} = M, _) when M#{a => 1} =:= M -> trace;\n"
                "enabled_send(_, [X], X = 1) -> trace;\n"
                "enabled_send(_, _, _) -> perhaps.\n"
                "trace(_, _, _, _, _) -> ok.\n"),
    load_source(no_tracer, "-export([trace/5]).\ntrace(_, _, _, _, _) -> ok.\n"),
    [io:format("  ~p~n", [try viv_tracer:start(M, S, O) catch error:R -> R end])
     || {M, S, O} <- [{wrong_tracer, a, #{}}, {no_tracer, a, #{}}, {not_there_tracer, a, #{}}, {told_tracer, a, []},
                      {"told_tracer", a, #{}}, {told_tracer, a, #{bytes => 0}}, {told_tracer, a, #{owner => a}},
                      {told_tracer, a, #{unknown => 1}}, {lists, a, #{}}]],
    [io:format("  ~p~n", [catch_error(F)])
     || F <- [fun() -> erlang:trace(self(), true, [send, {tracer, viv_tracer, make_ref()}]) end,
              fun() -> erlang:trace(self(), true, [send, {tracer, viv_tracer, a}]) end,
              fun() -> trace:session_create(s, {viv_tracer, a}, []) end,
              fun() -> viv_tracer:stop({viv_tracer, a}) end, fun() -> viv_tracer:stop(a) end,
              fun() -> viv_tracer:sync({viv_tracer, make_ref()}) end,
              fun() -> viv_tracer:create(a, self(), s, []) end,
              fun() -> viv_tracer:ask(a, b, c) end, fun() -> viv_tracer:tell(a, b, c, d, e) end]].

catch_error(Fun) -> try Fun() catch error:Reason -> Reason end.

%% What it becomes, if it does: ends are told to others in their time.
settled(Fun, Wanted) -> settled(Fun, Wanted, 1000).
settled(Fun, Wanted, N) ->
    case Fun() of
        Wanted -> Wanted;
        Other when N =:= 0 -> Other;
        _ -> erlang:garbage_collect(), receive after 10 -> settled(Fun, Wanted, N - 1) end
    end.
