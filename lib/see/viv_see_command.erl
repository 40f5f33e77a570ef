%% viv nodes | record | sample | top | trace | watch | who, which see into a running node, and dis, which shows code.
%% Each is a module of its own with run/1 and help/0.
-module(viv_see_command).
-export([main/1]).

-spec main([string()]) -> ok | no_return().
main([Command | Arguments]) ->
    Module = module_of(Command),
    try
        case [Word || Word <- Arguments, Word =:= "--help" orelse Word =:= "-h"] of
            [] -> Module:run(Arguments);
            _ -> io:put_chars(Module:help())
        end
    catch
        throw:{usage, Text} -> complain(Command, [Text, more(Text), "(viv ", Command, " --help says more)"], 2);
        throw:{see, Text} -> complain(Command, Text, 1);
        throw:{exit, Status} -> leave(Status)
    end.

module_of("dis") -> viv_dis;
module_of("nodes") -> viv_see_nodes;
module_of("record") -> viv_see_recording;
module_of("sample") -> viv_see_sampling;
module_of("watch") -> viv_see_watching;
module_of("top") -> viv_see_topping;
module_of("who") -> viv_see_asking;
module_of("trace") -> viv_see_tracing.

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
