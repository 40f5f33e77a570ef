%% viv top, on the client's side: a table that is drawn anew on a terminal, printed elsewhere, or lines of JSON.
-module(viv_see_topping).
-export([run/1, help/0, options/0]).

-record(s, {conversation, node, what, by, form, size}).
-define(ROWS, 20).
-define(INTERVAL, 2000).

help() ->
    "usage: viv top TARGET [options]\n"
    "\n"
    "The processes of a running node that do or have most, drawn anew until ^C. TARGET is a process number of this\n"
    "machine (`viv nodes` lists them) or NAME@HOST.\n"
    "\n"
    "  --by WHAT         rate (of reductions; unless another is given), reductions, memory or queue\n"
    "  --tables          tables, by rate, objects or memory (unless another is given)\n"
    "  --ports           ports, by rate (unless another is given), bytes, memory or queue\n"
    "  --rows N          so many at most (20, or what the terminal has room for)\n"
    "  --interval TIME   between two looks, 100ms at least (2s)\n"
    "  --once            one table, then the end\n"
    "  --for TIME        ends after 500ms, 10s, 5m, 1h\n"
    "  --json            an object in each line for each look\n".

options() ->
    Columns = [Name || What <- [processes, tables, ports], {Name, _} <- columns(What)],
    #{"--by" => {words, lists:usort(Columns)}, "--tables" => flag, "--ports" => flag, "--rows" => count,
      "--interval" => time, "--once" => flag, "--for" => time, "--json" => flag}.

run(Arguments) ->
    {Options, Words} = viv_see_options:parse(Arguments, options()),
    Target = viv_see_options:target(Words),
    What = what(proplists:is_defined("--tables", Options), proplists:is_defined("--ports", Options)),
    By = by(What, proplists:get_value("--by", Options)),
    Once = proplists:is_defined("--once", Options),
    Size = viv_see:terminal(),
    Form = form(proplists:is_defined("--json", Options), Once, Size),
    Request = #{what => What, by => By, rows => rows(proplists:get_value("--rows", Options), Form, Size),
                interval => viv_see_options:interval(proplists:get_value("--interval", Options, ?INTERVAL)),
                looks => looks(Once)},
    {Conversation, #{node := Node}} = viv_see_target:open_until_interrupt(Target, {top, Request}),
    viv_see_target:stop_after(proplists:get_value("--for", Options, infinity), Conversation),
    listen(#s{conversation = Conversation, node = Node, what = What, by = By, form = Form, size = Size}).

what(false, false) -> processes;
what(true, false) -> tables;
what(false, true) -> ports;
what(true, true) -> throw({usage, "--tables and --ports are two commands"}).

by(tables, undefined) -> memory;
by(_, undefined) -> rate;
by(What, Word) ->
    case [By || {Name, By} <- columns(What), Name =:= Word] of
        [By] -> By;
        [] -> throw({usage, ["--by takes ", lists:join(", ", [Name || {Name, _} <- columns(What)]), ", not ", Word]})
    end.

columns(processes) -> [{"rate", rate}, {"reductions", counter}, {"memory", memory}, {"queue", queue}];
columns(tables) -> [{"rate", rate}, {"objects", counter}, {"memory", memory}];
columns(ports) -> [{"rate", rate}, {"bytes", counter}, {"memory", memory}, {"queue", queue}].

form(true, _, _) -> json;
form(false, false, {_, _}) -> screen;
form(false, _, _) -> text.

rows(undefined, screen, {Rows, _}) -> max(1, min(1000, Rows - 3));
rows(undefined, _, _) -> ?ROWS;
rows(Rows, _, _) when Rows =< 1000 -> Rows;
rows(_, _, _) -> throw({usage, "--rows takes 1000 at most"}).

looks(true) -> 1;
looks(false) -> infinity.

%% --- what comes -----------------------------------------------------------------------------------------------------

listen(S = #s{conversation = Conversation}) ->
    case viv_see_target:hear(Conversation) of
        {{top, Found}, Next} ->
            viv_see_out:put(shown(S#s.form, Found, S)),
            listen(S#s{conversation = Next});
        {{late, Ms}, Next} ->
            viv_see_out:say("top", io_lib:format("a look takes ~w s already: there is much to look at, or one does "
                                                 "not answer", [Ms div 1000])),
            listen(S#s{conversation = Next});
        {{'end', {error, Text}, _}, _} -> throw({see, Text});
        {{'end', _, _}, _} -> throw({exit, 0})
    end.

shown(json, Found = #{rows := Rows}, S) ->
    Line = (maps:with([count, took_ms], Found))#{time_ms => erlang:system_time(millisecond), what => S#s.what,
                                                 rows => [object(Row, S) || Row <- Rows]},
    [viv_json:encode(Line), $\n];
shown(screen, Found, S = #s{size = {_, Columns}}) ->
    Lines = [string:slice(Line, 0, Columns - 1) || Line <- lines(Found, S)],
    ["\e[H", [[Line, "\e[K\n"] || Line <- Lines], "\e[J"];
shown(text, Found, S) -> [[Line, $\n] || Line <- lines(Found, S)].

lines(#{count := Count, rows := Rows}, S = #s{node = Node, what = What, by = By}) ->
    [Word] = [Name || {Name, Of} <- columns(What), Of =:= By],
    [io_lib:format("~ts: ~w ~w, by ~s", [Node, Count, What, Word]), heading(What) | [line(Row, S) || Row <- Rows]].

heading(processes) -> line("rate/s", "reductions", "memory", "queue", "process");
heading(tables) -> line("rate/s", "objects", "memory", "", "table");
heading(ports) -> line("rate/s", "bytes", "memory", "queue", "port").

line(Rate, Counter, Memory, Queue, Who) ->
    io_lib:format("~11ts ~14ts ~9ts ~9ts  ~ts", [Rate, Counter, Memory, Queue, Who]).

line({Id, About, Counter, Rate, Memory, Queue}, #s{what = What, node = Node}) ->
    line(rate(Rate), integer_to_list(Counter), viv_see_text:bytes(Memory), queue(What, Queue),
         lists:join($\s, [viv_see_text:term(Id, Node) | about(What, About, Node)])).

rate(none) -> "-";
rate(Rate) -> integer_to_list(Rate).

queue(tables, _) -> "";
queue(_, Queue) -> integer_to_list(Queue).

about(processes, {Name, Initial, Current}, _) ->
    [viv_see_text:name(Name) || is_atom(Name), Name =/= ''] ++
        [viv_see_text:mfa(Initial) || is_tuple(Initial)] ++ [["in ", viv_see_text:mfa(Current)] || is_tuple(Current)];
about(tables, {Name, Owner}, Node) -> [viv_see_text:name(Name), ["of ", viv_see_text:term(Owner, Node)]];
about(ports, {Name, Owner}, Node) -> [viv_see_text:name(Name), ["of ", viv_see_text:term(Owner, Node)]].

object({Id, About, Counter, Rate, Memory, Queue}, #s{what = What, node = Node}) ->
    [Name] = [list_to_binary(Word) || {Word, counter} <- columns(What)],
    Fields = #{id => binary(viv_see_text:term(Id, Node)), Name => Counter, memory => Memory, queue => Queue},
    maps:merge(described(What, About, Node), case Rate of
                                                 none -> Fields;
                                                 _ -> Fields#{rate => Rate}
                                             end).

described(processes, {Name, Initial, Current}, _) ->
    maps:from_list([{name, atom_to_binary(Name)} || is_atom(Name)] ++
                       [{Key, binary(viv_see_text:mfa(MFA))}
                        || {Key, {_, _, _} = MFA} <- [{initial_call, Initial}, {current_function, Current}]]);
described(tables, {Name, Owner}, Node) ->
    #{name => atom_to_binary(Name), owner => binary(viv_see_text:term(Owner, Node))};
described(ports, {Name, Owner}, Node) -> #{name => Name, owner => binary(viv_see_text:term(Owner, Node))}.

binary(Text) -> unicode:characters_to_binary(Text).
