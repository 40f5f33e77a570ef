%% Tracers in Erlang: modules with the callbacks of erl_tracer(3) that are no native functions.
%%
%% start/3 makes a tracer, {viv_tracer, Handle}, which may stand wherever {Module, State} may. Its module's enabled/3,
%% enabled_call/3, ... are match programs from then on (viv_tracer_clauses), which are run on the thread of what is
%% traced (src/trace/erlang_tracer.h). Its trace/5, trace_call/5, ... are called in a process of the tracer's own, the
%% host, in the order in which events come to it. What waits for the host is bounded as a session bounds it: each tracer
%% has a session, which no flag or pattern is set in, for its limit and its end.
%%
%%   guard    has the session; watches the owner and the host; hears of stop/2
%%   host     the session's tracer; calls the module; ends with the session, or when a callback fails
%%
%% The handle alone keeps a tracer that is not stopped: when no term and no setting has it any more, it ends.
-module(viv_tracer).
-export([start/2, start/3, stop/1, stop/2, sync/1, parse_transform/2]).
-export([enabled/3, trace/5]). % as of any tracer module
-export([create/4, guard_of/1, ask/3, tell/5]). % natives: src/bif/trace/viv_tracer.c
-export_type([tracer/0]).

-type tracer() :: {viv_tracer, reference()}.
-type options() :: #{owner => pid() | none, time => pos_integer(), events => pos_integer(), burst => pos_integer(),
                     bytes => pos_integer(), share => 1..1000, depth => 1..64, size => pos_integer()}.

-define(BYTES, 16 bsl 20). % that wait for the host, unless the options say otherwise
-define(STOPS, 5000).      % milliseconds that what waits still has when a tracer is stopped

-spec start(module(), term()) -> tracer().
start(Module, State) -> start(Module, State, #{}).

-spec start(module(), term(), options()) -> tracer().
start(Module, State, Options) ->
    {Owner, Limit} = case is_atom(Module) andalso is_map(Options) of
                         true -> options(Options, [Module, State, Options]);
                         false -> error(badarg, [Module, State, Options])
                     end,
    Programs = case viv_tracer_clauses:of_module(Module) of
                   {ok, Found} -> Found;
                   {error, Problems} -> error({bad_tracer, Module, Problems}, [Module, State, Options])
               end,
    Caller = self(),
    {Guard, Monitor} = spawn_monitor(fun() -> guard_begin(Caller, Module, State, Programs, Owner, Limit) end),
    receive
        {Guard, {ok, Handle}} ->
            demonitor(Monitor, [flush]),
            {viv_tracer, Handle};
        {Guard, refused} ->
            demonitor(Monitor, [flush]),
            error(badarg, [Module, State, Options]);
        {'DOWN', Monitor, process, _, Reason} -> error(Reason, [Module, State, Options])
    end.

options(Options, Arguments) ->
    case maps:get(owner, Options, self()) of
        Owner when is_pid(Owner); Owner =:= none ->
            {Owner, maps:merge(#{bytes => ?BYTES}, maps:remove(owner, Options))};
        _ -> error(badarg, Arguments)
    end.

%% No event is taken any more; those that wait are told, for so many milliseconds. False: it had ended.
-spec stop(tracer()) -> boolean().
stop(Tracer) -> stop(Tracer, ?STOPS).

-spec stop(tracer(), timeout()) -> boolean().
stop({viv_tracer, Handle} = Tracer, Timeout) when Timeout =:= infinity; is_integer(Timeout), Timeout >= 0 ->
    case guard_of(Handle) of
        {Guard, _} -> asked(Handle, Guard, {stop, Timeout});
        false -> error(badarg, [Tracer, Timeout])
    end;
stop(Tracer, Timeout) -> error(badarg, [Tracer, Timeout]).

%% All events that came to the tracer before have been told. False: it has ended.
-spec sync(tracer()) -> boolean().
sync({viv_tracer, Handle} = Tracer) ->
    case guard_of(Handle) of
        {_, Host} when Host =:= self() -> true; % a callback: all before it
        {_, Host} -> asked(Handle, Host, sync);
        false -> error(badarg, [Tracer])
    end;
sync(Tracer) -> error(badarg, [Tracer]).

%% The handle is kept until the answer is there: a tracer that nobody else has would end meanwhile.
asked(Handle, Whom, Question) ->
    Monitor = monitor(process, Whom),
    Whom ! {viv_tracer, Question, self(), Monitor},
    Answer = receive
                 {Monitor, Said} ->
                     demonitor(Monitor, [flush]),
                     Said;
                 {'DOWN', Monitor, process, _, _} -> false
             end,
    _ = guard_of(Handle),
    Answer.

%% What the clauses of a tracer stand for is recorded in the module.
parse_transform(Forms, _Options) ->
    Functions = [{Name, Arity} || {function, _, Name, Arity, _} <- Forms],
    case [{enabled, 3}, {trace, 5}] -- Functions of
        [] ->
            {Before, After} = lists:splitwith(fun(Form) -> element(1, Form) =/= function end, Forms),
            Anno = element(2, hd(After)),
            Before ++ [{attribute, Anno, viv_tracer, viv_tracer_clauses:of_forms(Forms)} | After];
        _ -> Forms
    end.

%% --- The module as a tracer ---

enabled(Tag, Handle, Tracee) -> ask(Tag, Handle, Tracee).
trace(Tag, Handle, Tracee, Term, Options) -> tell(Tag, Handle, Tracee, Term, Options).

create(_Session, _Guard, _State, _Programs) -> erlang:nif_error(undef). % Handle
guard_of(_Handle) -> erlang:nif_error(undef). % {Guard, Host} | false: it is no handle
ask(_Tag, _Handle, _Tracee) -> erlang:nif_error(undef). % trace | discard | remove
tell(_Tag, _Handle, _Tracee, _Term, _Options) -> erlang:nif_error(undef). % ok

%% --- The guard ---

%% Nobody traces it, nor the host.
guard_begin(Caller, Module, State, Programs, Owner, Limit) ->
    process_flag(sensitive, true),
    process_flag(priority, high),
    OwnerMonitor = Owner =/= none andalso monitor(process, Owner),
    {Host, HostMonitor} = spawn_monitor(fun() -> host_begin(Module, State) end),
    try trace:session_create(Module, Host, [{limit, Limit}]) of
        Session ->
            Caller ! {self(), {ok, create(Session, self(), State, Programs)}},
            guard_loop(Session, OwnerMonitor, Host, HostMonitor)
    catch
        error:badarg ->
            exit(Host, kill),
            Caller ! {self(), refused}
    end.

%% It keeps no handle: that would keep the tracer.
guard_loop(Session, OwnerMonitor, Host, HostMonitor) ->
    erlang:garbage_collect(),
    receive
        {'DOWN', HostMonitor, process, _, _} -> trace:session_destroy(Session);
        {'DOWN', OwnerMonitor, process, _, _} -> guard_ends(Session, owner, Host, HostMonitor, 0);
        {viv_tracer, {stop, _}, Host, Reference} -> % a callback: its process ends when it has heard all
            Host ! {Reference, guard_stops(Session, destroyed)},
            guard_loop(Session, OwnerMonitor, Host, HostMonitor);
        {viv_tracer, {stop, Timeout}, From, Reference} ->
            Answer = guard_ends(Session, destroyed, Host, HostMonitor, Timeout),
            From ! {Reference, Answer};
        _ -> guard_loop(Session, OwnerMonitor, Host, HostMonitor)
    end.

guard_ends(Session, Reason, Host, HostMonitor, Timeout) ->
    Answer = guard_stops(Session, Reason),
    receive
        {'DOWN', HostMonitor, process, _, _} -> Answer
    after Timeout ->
        exit(Host, kill),
        receive {'DOWN', HostMonitor, process, _, _} -> Answer end
    end.

%% False: it was over.
guard_stops({_, Weak}, Reason) ->
    try erts_internal:trace_session_destroy(Weak, Reason) catch error:_ -> false end.

%% --- The host ---

host_begin(Module, State) ->
    process_flag(sensitive, true),
    host_loop(Module, State, 0).

%% Dropped: of which the module did not want to hear.
host_loop(Module, State, Dropped) ->
    receive
        {viv_tracer, Function, Tag, Tracee, Term, Options} ->
            call(Module, callback(Module, Function), [Tag, State, Tracee, Term, Options]),
            host_loop(Module, State, Dropped);
        {viv_tracer, no_clause, Function, Tag, Tracee} -> failed(Module, error, function_clause,
                                                                 [{Module, Function, [Tag, State, Tracee], []}]);
        {viv_tracer, sync, From, Reference} ->
            From ! {Reference, true},
            host_loop(Module, State, Dropped);
        {trace_dropped, Session, Scheduler, Counts} ->
            Arguments = [trace_dropped, State, Session, {Scheduler, Counts}, #{}],
            host_loop(Module, State, Dropped + untold(Module, Arguments, lists:sum(maps:values(Counts))));
        {trace_ended, Session, Reason} ->
            untold(Module, [trace_ended, State, Session, Reason, #{}], 1),
            say_dropped(Module, Dropped);
        _ -> host_loop(Module, State, Dropped)
    end.

%% Code that is loaded meanwhile may have others.
callback(Module, Function) when Function =/= trace ->
    case erlang:function_exported(Module, Function, 5) of
        true -> Function;
        false -> trace
    end;
callback(_, trace) -> trace.

call(Module, Function, Arguments) ->
    try apply(Module, Function, Arguments)
    catch Class:Reason:Stack -> failed(Module, Class, Reason, Stack)
    end.

%% What the tracer itself has to say is told to who has a clause for it; otherwise Count.
untold(Module, [Tag | _] = Arguments, Count) ->
    try apply(Module, trace, Arguments) of
        _ -> 0
    catch
        Class:Reason:Stack ->
            case {Class, Reason, Stack} of
                {error, function_clause, [{Module, trace, [Tag | _], _} | _]} -> Count;
                _ -> failed(Module, Class, Reason, Stack)
            end
    end.

say_dropped(_, 0) -> ok;
say_dropped(Module, Dropped) ->
    logger:warning("The tracer ~w was not told ~w events: its limit did not allow it.~n", [Module, Dropped]).

%% The guard ends the trace when the host is no more.
-spec failed(module(), error | exit | throw, term(), list()) -> no_return().
failed(Module, Class, Reason, Stack) ->
    logger:error("The tracer ~w has failed and traces no more:~n~ts~n",
                 [Module, erl_error:format_exception(Class, Reason, Stack)]),
    exit(normal).
