%% Tracing in sessions: the functions of trace(3) of OTP 27 and 28, for every OTP root.
%%
%% A session is {Strong, Weak}, or Weak alone; the natives behind erts_internal take either
%% (src/bif/trace/trace_session.h).
%% Beyond the manual: session_create/3 takes the option {reload, keep | clear}. With `keep`, patterns of the session
%% stay on the functions of a module that is replaced; `clear` is the default and what the stock runtime does.
-module(trace).
-export([session_create/3, session_destroy/1, session_info/1]).
-export([process/4, port/4, function/4, send/3, recv/3, system/3, info/3, delivered/2]).
-export_type([session/0]).
-compile({inline, [refuse/3]}). % an error names the function that was called

-type session() :: {reference(), {atom(), integer()}} | {atom(), integer()}.
-type flags() :: [atom()].
-type specification() :: boolean() | restart | pause | [{[term()] | '_' | atom(), [term()], [term()]}].

-spec session_create(atom(), pid() | port() | {module(), term()}, [{reload, keep | clear}]) -> session().
session_create(Name, Tracer, Options) ->
    try
        erts_internal:trace_session_create(Name, Tracer, Options)
    catch
        error:Reason:Stack -> refuse(Reason, [Name, Tracer, Options], Stack)
    end.

%% true, or false when it had ended already.
-spec session_destroy(session()) -> boolean().
session_destroy(Session) ->
    try
        erts_internal:trace_session_destroy(Session)
    catch
        error:Reason:Stack -> refuse(Reason, [Session], Stack)
    end.

%% The weak handles of the sessions that trace What, or of all.
-spec session_info(all | pid() | port() | atom() | mfa()) -> undefined | [{atom(), integer() | default}].
session_info(all) ->
    {session, Sessions} = erts_internal:trace_info(any, any, session),
    Sessions;
session_info(What) ->
    try erts_internal:trace_info(any, What, session) of
        {session, Sessions} -> Sessions;
        undefined -> undefined
    catch
        error:Reason:Stack -> refuse(Reason, [What], Stack)
    end.

-spec process(session(), pid() | all | existing | new, boolean(), flags()) -> non_neg_integer().
process(Session, Processes, How, Flags) ->
    load_tracer(tracer, Flags),
    try
        erts_internal:trace(Session, processes(Processes), How, Flags)
    catch
        error:Reason:Stack -> refuse(Reason, [Session, Processes, How, Flags], Stack)
    end.

processes(all) -> processes;
processes(existing) -> existing_processes;
processes(new) -> new_processes;
processes(Word) when Word =:= processes; Word =:= existing_processes; Word =:= new_processes -> Word;
processes(Pid) when is_pid(Pid) -> Pid;
processes(_) -> error(badarg).

-spec port(session(), port() | all | existing | new, boolean(), flags()) -> non_neg_integer().
port(Session, Ports, How, Flags) ->
    load_tracer(tracer, Flags),
    try
        erts_internal:trace(Session, ports(Ports), How, Flags)
    catch
        error:Reason:Stack -> refuse(Reason, [Session, Ports, How, Flags], Stack)
    end.

ports(all) -> ports;
ports(existing) -> existing_ports;
ports(new) -> new_ports;
ports(Word) when Word =:= ports; Word =:= existing_ports; Word =:= new_ports -> Word;
ports(Port) when is_port(Port) -> Port;
ports(_) -> error(badarg).

-spec function(session(), {atom(), atom(), arity() | '_'} | on_load, specification(), [term()]) -> non_neg_integer().
function(Session, Functions, Specification, Options) ->
    load_tracer(meta, Options),
    try
        erts_internal:trace_pattern(Session, Functions, Specification, Options)
    catch
        error:Reason:Stack -> refuse(Reason, [Session, Functions, Specification, Options], Stack)
    end.

-spec send(session(), specification(), []) -> 1.
send(Session, Specification, Options) ->
    load_tracer(meta, Options),
    try
        erts_internal:trace_pattern(Session, send, Specification, Options)
    catch
        error:Reason:Stack -> refuse(Reason, [Session, Specification, Options], Stack)
    end.

-spec recv(session(), specification(), []) -> 1.
recv(Session, Specification, Options) ->
    load_tracer(meta, Options),
    try
        erts_internal:trace_pattern(Session, 'receive', Specification, Options)
    catch
        error:Reason:Stack -> refuse(Reason, [Session, Specification, Options], Stack)
    end.

%% Of OTP 28: what is slow or large in any process is told to the session's tracer, which must be a process.
-spec system(session(), atom(), boolean() | non_neg_integer() | {non_neg_integer(), pos_integer()}) -> ok.
system(Session, Event, Value) ->
    ok = erts_internal:system_monitor(Session, session, [{Event, Value}]).

-spec info(session(), pid() | port() | atom() | mfa(), atom()) -> term().
info(Session, system, all) ->
    case erts_internal:system_monitor(Session) of
        {_, Events} -> {system, Events};
        undefined -> {system, []}
    end;
info(Session, What, Item) ->
    try
        erts_internal:trace_info(Session, What, Item)
    catch
        error:Reason:Stack -> refuse(Reason, [Session, What, Item], Stack)
    end.

%% {trace_delivered, Traced, Ref} comes when all that Traced has caused so far has reached its tracers.
-spec delivered(session(), pid() | all) -> reference().
delivered(_Session, Traced) -> erlang:trace_delivered(Traced).

%% A tracer module that is not there yet is loaded by its first call.
load_tracer(Tag, [{Tag, Module, State} | _]) when is_atom(Module) ->
    case erlang:module_loaded(Module) of
        true -> ok;
        false -> Module:enabled(trace_status, self(), State)
    end;
load_tracer(Tag, [_ | Flags]) -> load_tracer(Tag, Flags);
load_tracer(_, _) -> ok.

%% The native's error, as one of the function that was called with Arguments.
refuse(Reason, Arguments, [{_, _, _, Extra} | _]) ->
    Info = case lists:keyfind(error_info, 1, Extra) of
               {error_info, Map} -> Map;
               false -> #{}
           end,
    erlang:error(Reason, Arguments, [{error_info, Info#{module => erl_kernel_errors}}]).
