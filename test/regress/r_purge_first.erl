%% A module that has old code cannot be deleted, and the log says why, in the emulator's form: a line of text, with the
%% name as it would be typed. An external fun has no count.
-module(r_purge_first).
-export([main/0, log/2]).

log(#{msg := Message, level := Level}, #{config := Main}) -> Main ! {log, Level, Message}.

main() ->
    ok = logger:remove_handler(default),
    ok = logger:add_handler(?MODULE, ?MODULE, #{config => self()}),
    [delete(Name) || Name <- [old_code, 'Old code', 'not-a-word']],
    [io:format("~p~n", [erlang:fun_info(fun lists:map/2, Item)])
     || Item <- [module, name, arity, env, type, index, uniq, new_index, new_uniq, pid, refc]].

delete(Name) ->
    {ok, _, Code} = compile:forms([{attribute, 1, module, Name}, {eof, 1}], []),
    [{module, Name} = erlang:load_module(Name, Code), true = erlang:delete_module(Name),
     {module, Name} = erlang:load_module(Name, Code)],
    Result = catch erlang:delete_module(Name),
    receive {log, Level, Message} -> io:format("~p ~p ~p~n", [element(1, element(2, Result)), Level, Message])
    after 60000 -> io:format("nothing~n")
    end.
