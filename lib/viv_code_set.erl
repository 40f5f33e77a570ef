%% Loads a list of modules at once, on_load functions included.
%%
%% load([{Module, File, Code}]) -> ok | {error, [{Module, What}]}
%%
%%   1. All are prepared, in parallel. The first wrong one ends it: badfile, duplicated, not_purged.
%%   2. The on_load functions run one after the other, in the order of the list, each in a process of its own, while
%%      every call still leads to the code that was current before: theirs too, unless it is a local call. One that
%%      does not return ok ends it: {on_load_failure, Result}, or {on_load_failure, {'EXIT', {Reason, Stack}}}. What
%%      they have done besides (tables, registered names) is theirs to undo.
%%   3. All modules become current in one step: no call from one of them to another ever meets an older one.
%%
%% When it ends early nothing has been loaded: processes that run code of on_load functions are purged, the memory goes.
%% The work is done by a process of its own: if the caller is killed, it comes to its end all the same.
-module(viv_code_set).
-export([load/1]).

load(Modules) ->
    case is_list(Modules) andalso all_wanted(Modules) of
        true -> in_own_process(fun() -> run(Modules) end);
        false -> erlang:error(badarg, [Modules])
    end.

all_wanted([{Module, File, Code} | Rest]) when is_atom(Module), is_list(File), is_binary(Code) -> all_wanted(Rest);
all_wanted(Rest) -> Rest =:= [].

in_own_process(Fun) ->
    {Pid, Ref} = spawn_monitor(fun() -> exit({done, Fun()}) end),
    receive
        {'DOWN', Ref, process, Pid, {done, Result}} -> Result;
        {'DOWN', Ref, process, Pid, Reason} -> exit(Reason)
    end.

run(Modules) ->
    Names = [Module || {Module, _, _} <- Modules],
    Obstacles = [{M, duplicated} || M <- repeated(Names, #{})] ++
        [{M, not_purged} || M <- Names, erlang:check_old_code(M), erlang:module_loaded(M)],
    case Obstacles of
        [] -> prepare(Modules);
        _ -> {error, Obstacles}
    end.

repeated([Name | Names], Seen) when is_map_key(Name, Seen) -> [Name | repeated(Names, Seen)];
repeated([Name | Names], Seen) -> repeated(Names, Seen#{Name => true});
repeated([], _) -> [].

prepare(Modules) ->
    Started = [{Module, File, start_preparing(Module, Code)} || {Module, File, Code} <- Modules],
    Prepared = [{Module, {prepared(Ref), File}} || {Module, File, Ref} <- Started],
    case [{Module, Reason} || {Module, {{error, Reason}, _}} <- Prepared] of
        [] -> run_on_load(Prepared, [], Prepared);
        Errors -> {error, Errors}
    end.

start_preparing(Module, Code) ->
    {_, Ref} = spawn_monitor(fun() -> exit({done, prepare(Module, Code)}) end),
    Ref.

prepared(Ref) ->
    receive
        {'DOWN', Ref, process, _, {done, Result}} -> Result;
        {'DOWN', Ref, process, _, Reason} -> {error, Reason}
    end.

%% erlang:prepare_loading/2 is the stock library's, which unpacks what is compressed.
prepare(Module, <<"FOR1", _/binary>> = Code) -> erts_internal:prepare_loading(Module, Code);
prepare(Module, Code) -> erlang:prepare_loading(Module, Code).

run_on_load([{Module, {Prepared, _}} | Rest], Begun, All) ->
    case erlang:has_prepared_code_on_load(Prepared) of
        false ->
            run_on_load(Rest, Begun, All);
        true ->
            case viv_code:begin_on_load(Prepared) of
                true ->
                    Now = [Module | Begun],
                    case call_on_load(Prepared) of
                        ok ->
                            true = viv_code:on_load_returned(Prepared),
                            run_on_load(Rest, Now, All);
                        Result ->
                            give_up(Now, [{Module, {on_load_failure, Result}}])
                    end;
                {error, Reason} ->
                    give_up(Begun, [{Module, Reason}])
            end
    end;
run_on_load([], Begun, All) ->
    case viv_code:finish(All) of
        ok -> ok;
        {error, Errors} -> give_up(Begun, Errors)
    end.

call_on_load(Prepared) ->
    {_, Ref} = spawn_monitor(fun() -> exit({done, try_on_load(Prepared)}) end),
    receive
        {'DOWN', Ref, process, _, {done, Result}} -> Result;
        {'DOWN', Ref, process, _, Reason} -> {'EXIT', Reason}
    end.

try_on_load(Prepared) ->
    try
        viv_code:call_on_load(Prepared)
    catch
        throw:Value:Stack -> {'EXIT', {{nocatch, Value}, Stack}};
        error:Reason:Stack -> {'EXIT', {Reason, Stack}};
        exit:Reason -> {'EXIT', Reason}
    end.

%% Whoever still runs what an on_load function has started is stopped.
give_up([Module | Begun], Errors) ->
    _ = viv_code:finish_after_on_load(Module, false),
    give_up(Begun, Errors);
give_up([], Errors) ->
    {error, Errors}.
