%% Many processes load and replace modules at once, while others kill, suspend and resume them: whoever is left still gets
%% to load, and nobody finishes the same prepared code twice.
-module(code_contention).
-export([main/0, worker/2]).

-define(WORKERS, 12).

main() ->
    Codes = [{Name, code(Name)} || I <- lists:seq(1, ?WORKERS), Name <- [list_to_atom("cont_" ++ [$a + I])]],
    [code:purge(M) || {M, _} <- Codes],
    once(Codes),
    disturbed(Codes),
    suspended_waiter(Codes),
    large_lists().

code(Name) ->
    {ok, Name, Code} = compile:forms([{attribute, 1, module, Name}, {attribute, 1, export, [{v, 0}]},
                                      {function, 1, v, 0, [{clause, 1, [], [], [{atom, 1, Name}]}]}, {eof, 1}], []),
    Code.

%% Of several that finish the same code exactly one does.
once(Codes) ->
    {M, Code} = hd(Codes),
    Results = [begin
                   Prepared = erlang:prepare_loading(M, Code),
                   Pids = [spawn_monitor(fun() ->
                                                 receive go -> ok end,
                                                 exit(try erlang:finish_loading([Prepared]) catch error:R -> R end)
                                         end) || _ <- lists:seq(1, 6)],
                   [Pid ! go || {Pid, _} <- Pids],
                   Ends = [receive {'DOWN', Ref, process, _, R} -> R end || {_, Ref} <- Pids],
                   code:purge(M),
                   lists:sort(Ends)
               end || _ <- lists:seq(1, 20)],
    io:format("~p~n", [lists:usort(Results)]).

worker(M, Code) ->
    _ = erlang:load_module(M, Code),
    _ = erlang:check_old_code(M) andalso code:purge(M),
    M = M:v(),
    worker(M, Code).

disturbed(Codes) ->
    Until = erlang:monotonic_time(millisecond) + 2000,
    Workers = maps:from_list([{start(C), C} || C <- Codes]),
    Left = disturb(Workers, Until, 1),
    [begin unlink(P), exit(P, kill) end || P <- maps:keys(Left)],
    [code:purge(M) || {M, _} <- Codes],
    io:format("~p~n", [lists:usort([erlang:load_module(M, C) =:= {module, M} andalso M:v() =:= M || {M, C} <- Codes])]).

start({M, Code}) -> spawn(?MODULE, worker, [M, Code]).

disturb(Workers, Until, N) ->
    receive after 1 -> ok end,
    Pids = maps:keys(Workers),
    Pid = lists:nth(1 + N rem length(Pids), Pids),
    Now = case N rem 3 of
              0 ->
                  exit(Pid, kill),
                  C = map_get(Pid, Workers),
                  (maps:remove(Pid, Workers))#{start(C) => C};
              _ ->
                  try
                      erlang:suspend_process(Pid),
                      receive after N rem 4 -> ok end,
                      erlang:resume_process(Pid)
                  catch
                      error:badarg -> ok
                  end,
                  Workers
          end,
    case erlang:monotonic_time(millisecond) < Until of
        true -> disturb(Now, Until, N + 1);
        false -> Now
    end.

%% Processes that are suspended for good, wherever they are, are in nobody's way.
suspended_waiter(Codes) ->
    Workers = [start(C) || C <- Codes],
    receive after 50 -> ok end,
    [try erlang:suspend_process(P) catch error:badarg -> gone end || P <- Workers],
    Code = code(cont_last),
    Results = [begin
                   Result = erlang:load_module(cont_last, Code),
                   code:purge(cont_last),
                   Result
               end || _ <- lists:seq(1, 10)],
    io:format("~p~n", [lists:usort(Results)]),
    [exit(P, kill) || P <- Workers].

%% A list with many exported functions is there or not, whenever the one who finishes it is killed or suspended.
large_lists() ->
    Modules = [list_to_atom("large_" ++ integer_to_list(I)) || I <- lists:seq(100, 199)],
    Functions = [{f, Arity} || Arity <- lists:seq(0, 39)],
    Forms = [{attribute, 1, module, large_100}, {attribute, 1, export, Functions}] ++
        [{function, 1, f, Arity, [{clause, 1, [{var, 1, '_'} || _ <- lists:seq(1, Arity)], [], [{atom, 1, ok}]}]}
         || {f, Arity} <- Functions] ++ [{eof, 1}],
    {ok, _, Template} = compile:forms(Forms, []),
    Codes = [{M, binary:replace(Template, <<"large_100">>, atom_to_binary(M), [global])} || M <- Modules],
    io:format("~p~n", [lists:usort([large_list(Codes, What) || What <- [finish, kill, suspend, kill]])]).

large_list(Codes, What) ->
    Prepared = [erlang:prepare_loading(M, Code) || {M, Code} <- Codes],
    {Pid, Ref} = spawn_monitor(fun() -> exit(erlang:finish_loading(Prepared)) end),
    case What of
        finish -> ok;
        kill -> erlang:yield(), exit(Pid, kill);
        suspend ->
            try
                erlang:suspend_process(Pid),
                receive after 2 -> ok end,
                erlang:resume_process(Pid)
            catch error:badarg -> ok
            end
    end,
    Reason = receive {'DOWN', Ref, process, Pid, R} -> R end,
    Loaded = lists:usort([erlang:module_loaded(M) || {M, _} <- Codes]),
    _ = [{erlang:delete_module(M), code:purge(M)} || {M, _} <- Codes],
    lists:member({Reason, Loaded}, [{ok, [true]}, {killed, [true]}, {killed, [false]}]).
