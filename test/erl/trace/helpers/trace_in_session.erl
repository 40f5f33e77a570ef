%% erlang:trace/3, trace_pattern/3 and trace_info/2 in one session, whose tracer is the process that calls first.
%% Where there are no sessions (OTP 25) they are those functions. Errors are theirs as well.
-module(trace_in_session).
-export([trace/3, trace_pattern/2, trace_pattern/3, trace_info/2]).

session() ->
    case persistent_term:get(?MODULE, undefined) of
        undefined ->
            S = case code:ensure_loaded(trace) of
                    {module, trace} -> trace:session_create(of_test, self(), []);
                    _ -> none
                end,
            persistent_term:put(?MODULE, S),
            S;
        S -> S
    end.

trace(Who, How, Flags) ->
    as(trace, [Who, How, Flags], fun(S) -> trace:process(S, processes(Who), How, Flags) end).

processes(existing_processes) -> existing;
processes(new_processes) -> new;
processes(Who) -> Who.

trace_pattern(What, Spec) -> trace_pattern(What, Spec, []).

trace_pattern(What, Spec, How) ->
    as(trace_pattern, [What, Spec, How], fun(S) -> trace:function(S, What, Spec, own_meta(How)) end).

own_meta(How) when is_list(How) -> [case H of {meta, Pid} when Pid =:= self() -> meta; _ -> H end || H <- How];
own_meta(How) -> How.

%% OTP 25 does not list call_memory.
trace_info(What, Item) ->
    case as(trace_info, [What, Item], fun(S) -> trace:info(S, What, Item) end) of
        {all, Items} when is_list(Items) -> {all, lists:keydelete(call_memory, 1, Items)};
        Info -> Info
    end.

as(Name, Args, Fun) ->
    case session() of
        none -> apply(erlang, Name, Args);
        S ->
            try Fun(S)
            catch error:Reason:Stack ->
                    {_, _, _, Extra} = hd(Stack),
                    erlang:raise(error, Reason, [{erlang, Name, Args, erts(Extra)}])
            end
    end.

erts(Extra) ->
    case lists:keyfind(error_info, 1, Extra) of
        {error_info, Info} -> [{error_info, Info#{module => erl_erts_errors}}];
        false -> []
    end.
