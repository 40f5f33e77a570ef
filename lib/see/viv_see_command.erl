%% viv nodes | record | sample | top | trace | watch | who, which see into a running node, dis, which shows code, and
%% completion, of which the shell completes all of these. Each is a module of its own with run/1, help/0 and options/0.
-module(viv_see_command).
-export([main/1, commands/0]).

-spec main([string()]) -> ok | no_return().
main([Command | Arguments]) ->
    {_, Module, _} = lists:keyfind(Command, 1, commands()),
    try
        case [Word || Word <- Arguments, Word =:= "--help" orelse Word =:= "-h"] of
            [] -> Module:run(Arguments);
            _ -> viv_see_out:put(Module:help())
        end
    catch
        throw:{usage, Text} -> complain(Command, [Text, more(Text), "(viv ", Command, " --help says more)"], 2);
        throw:{see, Text} -> complain(Command, Text, 1);
        throw:{exit, Status} -> leave(Status)
    end.

%% {Command, Module, Words}: what stands there beside options, in order: a kind, as those of options have, or `target`,
%% `pattern`, `name`: of what the word before says, `more`: as the one before, as often as one likes.
-spec commands() -> [{string(), module(), [target | pattern | name | more | viv_see_options:kind()]}].
commands() ->
    [{"completion", viv_see_completion, [{words, ["bash", "zsh"]}]},
     {"dis", viv_dis, [file]},
     {"nodes", viv_see_nodes, []},
     {"record", viv_see_recording, [target]},
     {"sample", viv_see_sampling, [target]},
     {"top", viv_see_topping, [target]},
     {"trace", viv_see_tracing, [target, pattern, more]},
     {"watch", viv_see_watching, [target]},
     {"who", viv_see_asking, [target, {words, ["module", "pid", "port", "table", "binary"]}, name]}].

more(Text) ->
    case lists:last(lists:flatten([$\s | Text])) of
        $\n -> "";
        _ -> " "
    end.

complain(Command, Text, Status) ->
    viv_io:flush(),
    viv_see_out:say(Command, Text),
    leave(Status).

-spec leave(integer()) -> no_return().
leave(Status) ->
    viv_io:flush(),
    erlang:halt(Status).
