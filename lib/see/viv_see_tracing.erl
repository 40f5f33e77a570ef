%% viv trace, on the client's side: what is asked for, and what comes, which goes to each file as its name wants it.
%%
%% A form of events is a module:  open(..., File, ...) -> State,  events([viv_see_event:event()], State) -> State,
%% names([{Pid, Name}], State) -> State,  dropped(Count, Whys, Of, State) -> State,  close(State) -> ok
-module(viv_see_tracing).
-export([run/1, help/0, options/0]).

-record(s, {conversation, node, facts, files, outs = [], clock = usual, returns, counts, sums = none, lost = #{}}).
-define(RATE, 10000).
-define(EXACT, [perfetto, ctf, timeline]). % forms that tell more than a time of microseconds
-define(KINDS, [{"--procs", procs}, {"--sched", sched}, {"--gc", gc}, {"--ports", ports}, {"--send", send},
                {"--receive", 'receive'}]).

help() ->
    "usage: viv trace TARGET [PATTERN...] [options]     TARGET: a process number (viv nodes) or NAME@HOST\n"
    "Tells what a running node does, a line for each event, until ^C. PATTERNs, in quotes for the shell:\n"
    "  'shop:price(Item, N) when N > 100'   calls with arguments that match, and a guard\n"
    "  shop:price/2   shop:price   shop:_   a function, all of the name, all of the module\n"
    "What is told:\n"
    "  --return --caller  also what is returned, or raised; who calls\n"
    "  --procs --ports    processes, or ports, that begin and end, links, names\n"
    "  --sched --gc       when processes run; collections\n"
    "  --send --receive   messages\n"
    "What is summed up instead:\n"
    "  --count            how many calls\n"
    "  --by KEY           by caller, process, name, scheduler, function, 'initial call', or an expression of the\n"
    "                     pattern's variables (else its source's): 'element(1, Item)'; may be given again\n"
    "  --hist WHAT        also least, most and quantiles: of the calls' time, or of such an expression\n"
    "Of whom, and how much:\n"
    "  --pid '<0.9.0>'    of this process alone; may be given again, as --name\n"
    "  --name NAME --new  of the one of this name; of those that begin from now on\n"
    "  --for TIME         ends after 500ms, 10s, 5m, 1h\n"
    "  --max N --rate N   ends after N events; N a second at most (10000), what is dropped is told\n"
    "  -o FILE            into a file, by its name: .html .pftrace .ctf .json .folded, or lines; may be given again\n".

options() ->
    Known = maps:from_list([{Name, flag} || {Name, _} <- ?KINDS]),
    Known#{"--return" => flag, "--caller" => flag, "--pid" => {many, process}, "--name" => {many, process},
           "--new" => flag, "--for" => time, "--max" => count, "--rate" => count, "-o" => {many, file},
           "--count" => flag, "--by" => {many, {words, ["caller", "process", "name", "scheduler", "function"]}},
           "--hist" => {words, ["time"]}}.

run(Arguments) ->
    {Options, Words} = viv_see_options:parse(Arguments, options()),
    {Target, Texts} = case Words of
                          [First | Rest] -> {First, Rest};
                          [] -> throw({usage, "no TARGET given"})
                      end,
    Files = [{form(File), File} || File <- viv_see_options:files(Options)],
    Patterns = [{Text, parsed(Text)} || Text <- Texts],
    {Kind, Sums, Request} = asked(viv_see_summing:is_wanted(Options, Patterns), Options, Patterns, Files, Target),
    {Conversation, #{node := Node} = Facts} = viv_see_target:open_until_interrupt(Target, {Kind, Request}),
    S = #s{conversation = Conversation, node = Node, facts = Facts, files = Files, sums = Sums,
           returns = proplists:is_defined("--return", Options)},
    case Request of
        #{exact := true} -> listen(S); % it says first by which clock
        _ -> listen(opened(S))
    end.

asked(true, Options, Patterns, Files, Target) ->
    check_counted(Options, ["--by", "--hist", "--pid", "--name", "--new"], Files),
    Patterns =:= [] andalso throw({usage, "no PATTERN given: which calls are to be counted?"}),
    {Sums, Request} = viv_see_summing:request(Options, [Text || {Text, _} <- Patterns], processes(Options), Target),
    {sum, Sums, Request};
asked(false, Options, Patterns, Files, _) ->
    {kind(Options, Files), none, request(Options, Patterns, Files)}.

request(Options, Patterns, Files) ->
    Kinds = [Kind || {Name, Kind} <- ?KINDS, proplists:is_defined(Name, Options)],
    Patterns =:= [] andalso Kinds =:= [] andalso
        throw({usage, "nothing is to be traced: give a PATTERN, or --procs ..."}),
    Forms = [Form || {Form, _} <- Files],
    Exact = [exact || Form <- Forms, lists:member(Form, ?EXACT)] =/= [],
    Usual = #{patterns => [pattern(Text, Pattern) || {Text, Pattern} <- Patterns], kinds => Kinds,
              processes => processes(Options),
              return => proplists:is_defined("--return", Options),
              caller => lists:member(folded, Forms) orelse proplists:is_defined("--caller", Options),
              time => proplists:get_value("--for", Options, infinity),
              max => proplists:get_value("--max", Options, infinity),
              rate => proplists:get_value("--rate", Options, ?RATE)},
    case Exact of
        true -> Usual#{exact => true}; % else not: a node of an earlier version knows nothing of it
        false -> Usual
    end.

kind(Options, Files) ->
    case proplists:is_defined("--count", Options) of
        true -> check_counted(Options, [], Files), count;
        false -> trace
    end.

check_counted(Options, Others, Files) ->
    [throw({usage, [Name, " does not go with --count, --by or --hist"]})
     || {Name, _} <- Options, not lists:member(Name, ["--count", "--for", "-o" | Others])],
    Hist = proplists:is_defined("--hist", Options),
    [throw({usage, [File, ": counts are lines, or .json; with --hist also .html"]})
     || {Form, File} <- Files, Form =/= text, Form =/= json, not (Form =:= timeline andalso Hist)],
    ok.

parsed(Text) ->
    case viv_see_pattern:parse(Text) of
        {ok, Pattern} -> Pattern;
        {error, Mistake} -> throw({usage, ["this is no pattern\n", viv_see_pattern:show(Text, Mistake), $\n]})
    end.

pattern(Text, Pattern) ->
    {unicode:characters_to_binary(Text), [atom_to_binary(Atom) || Atom <- viv_see_pattern:atoms(Pattern)],
     term_to_binary(Pattern)}.

processes(Options) ->
    Chosen = [{pid, unicode:characters_to_binary(Pid)} || {"--pid", Pid} <- Options] ++
        [{name, unicode:characters_to_binary(Name)} || {"--name", Name} <- Options] ++
        [new || {"--new", true} <- Options],
    case Chosen of
        [] -> [all];
        _ -> Chosen
    end.

form(undefined) -> text;
form(File) ->
    case filename:extension(File) of
        ".json" -> json;
        ".folded" -> folded;
        ".pftrace" -> perfetto;
        ".ctf" -> ctf;
        ".html" -> timeline;
        _ -> text
    end.

opened(S = #s{files = Files, sums = Sums, node = Node}) when Sums =/= none -> % a page is bytes, as lines are
    S#s{outs = [{viv_see_lines, viv_see_lines:open(Form, File, Node)} || {Form, File} <- Files]};
opened(S = #s{files = Files, facts = Facts, returns = Returns}) ->
    S#s{outs = [opened(Form, File, Facts#{returns => Returns}) || {Form, File} <- Files]}.

opened(perfetto, File, Facts) -> {viv_see_perfetto, viv_see_perfetto:open(File, Facts)};
opened(timeline, File, Facts) -> {viv_see_timeline, viv_see_timeline:open(File, Facts)};
opened(ctf, File, Facts) -> {viv_see_ctf, viv_see_ctf:open(File, Facts)};
opened(Form, File, #{node := Node}) -> {viv_see_lines, viv_see_lines:open(Form, File, Node)}.

%% --- what comes -----------------------------------------------------------------------------------------------------

listen(S = #s{conversation = Conversation}) ->
    case viv_see_target:next(Conversation) of
        {What, Next} -> heard(What, S#s{conversation = Next});
        eof -> ended(S, "the node has closed the connection", 1)
    end.

heard({clock, Clock = #{unit := Unit, offset := Offset}}, S = #s{facts = Facts}) ->
    listen(opened(S#s{clock = {Unit, Offset}, facts = maps:merge(Facts, Clock)}));
heard({names, Names}, S) -> listen(each(fun(Form, Out) -> Form:names(Names, Out) end, S));
heard({events, Raw}, S = #s{clock = Clock}) ->
    Events = [viv_see_event:parse(Event, Clock) || Event <- Raw],
    listen(each(fun(Form, Out) -> Form:events(Events, Out) end, S));
heard({dropped, Events, Whys, Of}, S) ->
    listen(lost(Of, each(fun(Form, Out) -> Form:dropped(Events, Whys, Of, Out) end, S)));
heard({counts, Took, Counts}, S) ->
    Sorted = lists:sort(fun({F, M}, {G, N}) -> {N, F} =< {M, G} end, Counts),
    Show = fun(Form) -> [counted(Form, Function, Calls, Took) || {Function, Calls} <- Sorted] end,
    listen((shown(Show, S))#s{counts = Sorted});
heard({rows, Rows}, S = #s{sums = Sums}) -> listen(S#s{sums = viv_see_summing:add(Rows, Sums)});
heard({others, Row, Invalid}, S = #s{sums = Sums}) -> listen(S#s{sums = viv_see_summing:others(Row, Invalid, Sums)});
heard({'end', Why, #{took := Took}}, S = #s{sums = Sums, node = Node}) when is_atom(Why) ->
    ended(shown(fun(Form) -> viv_see_summing:show(Form, Sums, Took, Node) end, S), viv_see_summing:words(Sums), 0);
heard({'end', Why, _}, S = #s{counts = Counts}) when is_list(Counts), is_atom(Why) ->
    Sum = lists:sum([Calls || {_, Calls} <- Counts]),
    ended(S, io_lib:format("~w calls of ~w functions", [Sum, length(Counts)]), 0);
heard({'end', {error, Text}, _}, S) -> ended(S, Text, 1);
heard({'end', Why, #{told := Told, dropped := Dropped}}, S = #s{lost = Lost}) ->
    ended(S, [io_lib:format("~w events", [Told]), [[", ", viv_see_lines:lost_text(Dropped, maps:to_list(Lost))]
                                                   || Dropped > 0],
              [", then the session was ended by others" || Why =:= ended]], 0).

counted(text, Function, Calls, Took) ->
    io_lib:format("~10w ~8w/s ~ts~n", [Calls, Calls * 1000 div max(1, Took), viv_see_text:mfa(Function)]);
counted(json, Function, Calls, Took) ->
    Name = unicode:characters_to_binary(viv_see_text:mfa(Function)),
    [viv_json:encode(#{event => count, function => Name, calls => Calls, ms => Took}), $\n].

lost(Of, S = #s{lost = Lost}) ->
    S#s{lost = lists:foldl(fun({What, Count}, Sums) -> Sums#{What => maps:get(What, Sums, 0) + Count} end, Lost, Of)}.

%% What is no event, in the form of each file.
shown(Show, S = #s{files = Files, outs = Outs}) ->
    S#s{outs = [{Module, Module:write(Show(Form), Out)} || {{Form, _}, {Module, Out}} <- lists:zip(Files, Outs)]}.

each(Do, S = #s{outs = Outs}) -> S#s{outs = [{Form, Do(Form, Out)} || {Form, Out} <- Outs]}.

-spec ended(#s{}, iodata(), integer()) -> no_return().
ended(#s{outs = Outs}, Text, Status) ->
    [ok = Form:close(Out) || {Form, Out} <- Outs],
    case Status of
        0 ->
            viv_see_out:say("trace", Text),
            throw({exit, 0});
        _ -> throw({see, Text})
    end.
