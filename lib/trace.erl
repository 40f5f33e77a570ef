%% Tracing in sessions: the functions of trace(3) of OTP 27 and 28, for every OTP root.
%%
%% A session is {Strong, Weak}, or Weak alone; the natives behind erts_internal take either
%% (src/bif/trace/trace_session.h).
%% Beyond the manual: session_create/3 takes the option {reload, keep | clear}. With `keep`, patterns of the session
%% stay on the functions of a module that is replaced; `clear` is the default and what the stock runtime does.
%% {limit, Map} bounds what the session takes of the node, and how long it lives: docs/TRACING.md. Its time and its
%% owner are looked after by a process of the session's own, which has dropped events said once a second.
-module(trace).
-export([session_create/3, session_destroy/1, session_info/1]).
-export([process/4, port/4, function/4, send/3, recv/3, system/3, info/3, delivered/2, quantile/2]).
-export_type([session/0]).
-compile({inline, [refuse/3]}). % an error names the function that was called

-type session() :: {reference(), {atom(), integer()}} | {atom(), integer()}.
-type flags() :: [atom()].
-type specification() :: boolean() | restart | pause | [{[term()] | '_' | atom(), [term()], [term()]}].

-type limit() :: #{events => pos_integer(), burst => pos_integer(), bytes => pos_integer(), share => 1..1000,
                   depth => 1..64, size => pos_integer(), time => pos_integer(), owner => pid()}.

-spec session_create(atom(), pid() | port() | {module(), term()}, [{reload, keep | clear} | {limit, limit()}]) ->
          session().
session_create(Name, Tracer, Options) ->
    {Bounds, Life} = life_apart(Options),
    try erts_internal:trace_session_create(Name, Tracer, Bounds) of
        Session -> keep(Session, Tracer, Life)
    catch
        error:Reason:Stack -> refuse(Reason, [Name, Tracer, Options], Stack)
    end.

%% What the native does not know of: it refuses what is not right, and so is left where it is.
life_apart([{limit, #{} = Limit} | Options]) ->
    {Bounds, Life} = life_apart(Options),
    case maps:with([time, owner], Limit) of
        Mine when Life =:= none ->
            case lists:all(fun is_good/1, maps:to_list(Mine)) of
                true -> {[{limit, maps:without([time, owner], Limit)} | Bounds], Mine};
                false -> {[{limit, Limit} | Bounds], none}
            end;
        _ -> {Bounds, Life} % the last counts
    end;
life_apart([Option | Options]) ->
    {Bounds, Life} = life_apart(Options),
    {[Option | Bounds], Life};
life_apart(Rest) -> {Rest, none}.

is_good({time, Time}) -> is_integer(Time) andalso Time > 0 andalso Time < 1 bsl 32;
is_good({owner, Owner}) -> is_pid(Owner).

keep(Session, _, none) -> Session;
keep({_, Weak} = Session, Tracer, Life) ->
    spawn(fun() -> keep_begin(Weak, Tracer, Life) end),
    Session.

%% Nobody traces it, and it ends with no application.
keep_begin(Weak, Tracer, Life) ->
    process_flag(sensitive, true),
    process_flag(priority, high),
    is_pid(whereis(init)) andalso group_leader(whereis(init), self()),
    Owner = case Life of
                #{owner := Pid} -> monitor(process, Pid);
                #{} -> none
            end,
    TracerEnd = is_pid(Tracer) andalso monitor(process, Tracer),
    case Life of
        #{time := Time} -> erlang:send_after(Time, self(), {ends, time});
        #{} -> ok
    end,
    keep_loop(Weak, Owner, TracerEnd).

keep_loop(Weak, Owner, TracerEnd) ->
    receive
        {ends, Reason} -> keep_end(Weak, Reason);
        {'DOWN', Owner, process, _, _} -> keep_end(Weak, owner);
        {'DOWN', TracerEnd, process, _, _} -> keep_end(Weak, tracer)
    after 1000 ->
        case erts_internal:trace_session_say(Weak) of
            true -> keep_loop(Weak, Owner, TracerEnd);
            false -> ok
        end
    end.

keep_end(Weak, Reason) ->
    try erts_internal:trace_session_destroy(Weak, Reason) catch error:_ -> false end.

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
    {Program, Kinds} = summing(Specification, Options),
    try
        erts_internal:trace_pattern(Session, Functions, Program, Kinds)
    catch
        error:Reason:Stack -> refuse(Reason, [Session, Functions, Specification, Options], Stack)
    end.

%% To the native the expressions of a sum are what the specification gives, a tuple of them. What is not right is left
%% for it to refuse.
summing(Specification, [{sum, #{} = Sum}]) when is_list(Specification); Specification =:= true ->
    Key = maps:get(key, Sum, []),
    Value = maps:get(value, Sum, 1),
    Parts = case is_list(Key) of
                true -> Key;
                false -> [Key]
            end,
    Known = maps:without([key, value, histogram, rows, only], Sum) =:= #{} andalso length(Parts) =< 4,
    Form = {[without_expression(Part) || Part <- Parts], is_list(Key) andalso Key =/= [], without_expression(Value),
            maps:get(histogram, Sum, false), maps:get(rows, Sum, 1000), maps:get(only, Sum, all)},
    Expressions = [E || {expression, E} <- Parts ++ [Value]],
    {with_result(Specification, Expressions), [{sum, Form} || Known] ++ [bad || not Known]};
summing(Specification, Options) -> {Specification, Options}.

without_expression({expression, _}) -> expression;
without_expression(expression) -> bad; % of nothing
without_expression(Word) -> Word.

with_result(All, []) when All =:= true; All =:= [] -> true;
with_result(All, Expressions) when All =:= true; All =:= [] -> with_result([{'_', [], []}], Expressions);
with_result(Clauses, Expressions) ->
    Body = [{list_to_tuple(Expressions)} || Expressions =/= []],
    [case Clause of
         {Head, Guards, _} -> {Head, Guards, Body};
         _ -> Clause
     end || Clause <- Clauses].

%% Of the values in a histogram of a sum: what PerMille of them are no larger than; 0 of an empty one.
-spec quantile([{integer(), integer(), pos_integer()}], 0..1000) -> integer().
quantile(Histogram, PerMille) when PerMille >= 0, PerMille =< 1000 ->
    Count = lists:sum([N || {_, _, N} <- Histogram]),
    quantile_at(Histogram, max(1, (Count * PerMille + 999) div 1000)).

quantile_at([], _) -> 0;
quantile_at([{_, To, N} | _], Rank) when Rank =< N -> To;
quantile_at([{_, _, N} | Classes], Rank) -> quantile_at(Classes, Rank - N).

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
