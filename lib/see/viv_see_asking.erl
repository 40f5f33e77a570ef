%% viv who, on the client's side.
-module(viv_see_asking).
-export([run/1, help/0, options/0]).

help() ->
    "usage: viv who TARGET module|pid|port|table NAME [--json]\n"
    "       viv who TARGET binary [PID|NAME] [--rows N] [--json]\n"
    "\n"
    "Who holds something in a running node, and by what. TARGET is a process number of this machine (`viv nodes`\n"
    "lists them) or NAME@HOST.\n"
    "\n"
    "  module NAME   who keeps the old code of a module, or what belongs to it, from being freed:\n"
    "                  stack      runs it, or will return to it: a purge kills it\n"
    "                  fun        has a fun of it\n"
    "                  literal    refers to a literal of it\n"
    "                  native     is in a native function that it called (no_answer: in another, for five seconds)\n"
    "                every process is asked, and collects before it answers\n"
    "  pid PID       what a process ('<0.9.0>', or its name) is tied to: links, monitors, tables\n"
    "  port PORT     a port ('#Port<0.4>', or its name): its owner, what waits in it, who waits to write to it\n"
    "  table NAME    who owns a table, and who inherits it\n"
    "  binary        who holds most of the large binaries, those outside of the heaps, and why they do not go:\n"
    "                  garbage    a collection would let go of most of them, and has not come\n"
    "                  messages   they are in messages that the process has not taken\n"
    "                  parts      small parts of them are needed, and keep the whole (binary:copy/1 helps)\n"
    "                  needed     they are needed\n"
    "                whoever sleeps is looked at where he is, others are asked; nobody collects\n"
    "  binary PID    the binaries of one process or table: '<0.9.0>', '#Ref<...>', or its name\n"
    "  --rows N      holders of binaries, 200 at most (20)\n"
    "  --json        as an object\n".

options() -> #{"--json" => flag, "--rows" => count}.

run(Arguments) ->
    {Options, Words} = viv_see_options:parse(Arguments, options()),
    {Target, Request} = request(Words, proplists:get_value("--rows", Options, none)),
    {Conversation, #{node := Node}} = viv_see_target:open_until_interrupt(Target, {who, Request}),
    listen(Conversation, Node, proplists:is_defined("--json", Options)).

request([Target, "binary"], Rows) -> {Target, #{what => binaries, rows => rows(Rows)}};
request(_, Rows) when Rows =/= none -> throw({usage, "--rows is of `binary` alone"});
request([Target, Kind, Name], _) -> {Target, #{what => kind(Kind), name => unicode:characters_to_binary(Name)}};
request(_, _) -> throw({usage, "a TARGET, one of module, pid, port, table, and its name are wanted; or `binary`"}).

rows(none) -> 20;
rows(Rows) when Rows =< 200 -> Rows;
rows(_) -> throw({usage, "--rows takes 200 at most"}).

kind("module") -> module;
kind("pid") -> pid;
kind("port") -> port;
kind("table") -> table;
kind("binary") -> binary;
kind(Word) -> throw({usage, ["module, pid, port, table or binary, not ", Word]}).

listen(Conversation, Node, IsJson) ->
    case viv_see_target:hear(Conversation) of
        {{What, Answer}, Next} when is_map(Answer) ->
            viv_see_out:put(case IsJson of
                                true -> [viv_json:encode(object(What, Answer, Node)), $\n];
                                false -> text(What, Answer, Node)
                            end),
            listen(Next, Node, IsJson);
        {{late, Ms}, Next} ->
            viv_see_out:say("who", io_lib:format("it takes ~w s already: there is much to look at, or one does not "
                                                 "answer", [Ms div 1000])),
            listen(Next, Node, IsJson);
        {{'end', {error, Text}, _}, _} -> throw({see, Text});
        {{'end', _, _}, _} -> throw({exit, 0})
    end.

text(binaries, Answer, Node) -> viv_see_holders:text(Answer, Node);
text(binary, #{holders := Holders}, Node) ->
    lists:join($\n, [viv_see_holders:one(Holder, Node) || Holder <- Holders]);
text(module, #{old := Old, count := Count, holders := Holders}, Node) ->
    [case Old of
         true -> "there is old code\n";
         false -> "there is no old code\n"
     end,
     [[who(Pid, Name, Node), $\s, atom_to_list(Reason), $\n] || {Pid, Name, Reason} <- Holders],
     [io_lib:format("... ~w in all~n", [Count]) || Count > length(Holders)]];
text(What, Answer, Node) when What =:= pid; What =:= port ->
    Width = lists:max([18 | [length(atom_to_list(Key)) || Key <- maps:keys(Answer)]]),
    [[string:pad(atom_to_list(Key), Width), $\s, value(Value, Node), $\n]
     || {Key, Value} <- lists:sort(maps:to_list(Answer))];
text(table, #{tables := Tables}, Node) ->
    lists:join($\n, [text(pid, Table, Node) || Table <- Tables]).

who(Pid, Name, Node) -> [viv_see_text:term(Pid, Node), [[$\s, viv_see_text:name(Name)] || Name =/= none]].

value(List, Node) when is_list(List), List =/= [] ->
    lists:join($\s, [viv_see_text:term(Element, Node) || Element <- List]);
value([], _) -> "-";
value(Text, _) when is_binary(Text) -> viv_see_text:name(Text);
value(Value, Node) -> viv_see_text:term(Value, Node).

object(binaries, Answer, Node) -> viv_see_holders:object(Answer, Node);
object(binary, #{holders := Holders}, Node) -> #{holders => [viv_see_holders:one_object(H, Node) || H <- Holders]};
object(module, #{old := Old, count := Count, holders := Holders}, Node) ->
    #{old => Old, count => Count,
      holders => [#{pid => binary(Pid, Node), name => Name, reason => Reason} || {Pid, Name, Reason} <- Holders]};
object(What, Answer, Node) when What =:= pid; What =:= port ->
    maps:map(fun(_, Value) -> plain(Value, Node) end, Answer);
object(table, #{tables := Tables}, Node) -> #{tables => [object(pid, Table, Node) || Table <- Tables]}.

plain(Value, _) when is_integer(Value); is_boolean(Value); is_binary(Value) -> Value;
plain(List, Node) when is_list(List) -> [binary(Element, Node) || Element <- List];
plain(Value, Node) -> binary(Value, Node).

binary(Term, Node) -> unicode:characters_to_binary(viv_see_text:term(Term, Node)).
