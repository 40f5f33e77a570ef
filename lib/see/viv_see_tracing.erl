%% viv trace, on the client's side: what is asked for, and the events as text, as lines of JSON, or as folded stacks.
-module(viv_see_tracing).
-export([run/1, help/0]).

-record(s, {conversation, node, out, form, folded = #{}, counts, sums = none,
            lost = #{}}).
-define(RATE, 10000).
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
    "                     pattern's variables: 'element(1, Item)'; may be given again\n"
    "  --hist WHAT        also least, most and quantiles: of the calls' time, or of such an expression\n"
    "Of whom, and how much:\n"
    "  --pid '<0.9.0>'    of this process alone; may be given again, as --name\n"
    "  --name NAME --new  of the one of this name; of those that begin from now on\n"
    "  --for TIME         ends after 500ms, 10s, 5m, 1h\n"
    "  --max N --rate N   ends after N events; N a second at most (10000), what is dropped is told\n"
    "  -o FILE            into a file: .json has an object in each line, .folded callers and how often they\n"
    "                     called (for flame graphs), any other name the lines that are shown\n".

run(Arguments) ->
    Known = maps:from_list([{Name, flag} || {Name, _} <- ?KINDS]),
    All = Known#{"--return" => flag, "--caller" => flag, "--pid" => string, "--name" => string, "--new" => flag,
                 "--for" => time, "--max" => count, "--rate" => count, "-o" => string,
                 "--count" => flag, "--by" => string, "--hist" => string},
    {Options, Words} = viv_see_options:parse(Arguments, All),
    {Target, Texts} = case Words of
                          [First | Rest] -> {First, Rest};
                          [] -> throw({usage, "no TARGET given"})
                      end,
    File = proplists:get_value("-o", Options),
    Form = form(File),
    Patterns = [{Text, parsed(Text)} || Text <- Texts],
    {Kind, Sums, Request} = asked(viv_see_summing:is_wanted(Options, Patterns), Options, Patterns, Form),
    {Conversation, #{node := Node}} = viv_see_target:open(Target, {Kind, Request}),
    viv_see_target:stop_on_interrupt(Conversation),
    listen(#s{conversation = Conversation, node = Node, form = Form, out = open(File), sums = Sums}).

asked(true, Options, Patterns, Form) ->
    check_counted(Options, ["--by", "--hist", "--pid", "--name", "--new"], Form),
    Patterns =:= [] andalso throw({usage, "no PATTERN given: which calls are to be counted?"}),
    {Sums, Request} = viv_see_summing:request(Options, [Text || {Text, _} <- Patterns], processes(Options)),
    {sum, Sums, Request};
asked(false, Options, Patterns, Form) ->
    {kind(Options, Form), none, request(Options, Patterns, Form)}.

request(Options, Patterns, Form) ->
    Kinds = [Kind || {Name, Kind} <- ?KINDS, proplists:is_defined(Name, Options)],
    Patterns =:= [] andalso Kinds =:= [] andalso
        throw({usage, "nothing is to be traced: give a PATTERN, or --procs ..."}),
    #{patterns => [pattern(Text, Pattern) || {Text, Pattern} <- Patterns], kinds => Kinds,
      processes => processes(Options),
      return => proplists:is_defined("--return", Options),
      caller => Form =:= folded orelse proplists:is_defined("--caller", Options),
      time => proplists:get_value("--for", Options, infinity), max => proplists:get_value("--max", Options, infinity),
      rate => proplists:get_value("--rate", Options, ?RATE)}.

kind(Options, Form) ->
    case proplists:is_defined("--count", Options) of
        true -> check_counted(Options, [], Form), count;
        false -> trace
    end.

check_counted(Options, Others, Form) ->
    [throw({usage, [Name, " does not go with --count, --by or --hist"]})
     || {Name, _} <- Options, not lists:member(Name, ["--count", "--for", "-o" | Others])],
    Form =:= folded andalso throw({usage, "counts are not folded: give another file, or leave --count out"}),
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
        _ -> text
    end.

open(undefined) -> 1;
open(File) ->
    case file:open(File, [write, raw, binary]) of
        {ok, Opened} -> Opened;
        {error, Reason} -> throw({see, [File, ": ", file:format_error(Reason)]})
    end.

%% --- what comes -----------------------------------------------------------------------------------------------------

listen(S = #s{conversation = Conversation}) ->
    case viv_see_target:next(Conversation) of
        {What, Next} -> heard(What, S#s{conversation = Next});
        eof -> ended(S, "the node has closed the connection", 1)
    end.

heard({events, Events}, S) ->
    listen(told(Events, S));
heard({dropped, Events, _, Of}, S = #s{form = text}) ->
    put_out(S, ["... ", lost_text(Events, Of), $\n]),
    listen(lost(Of, S));
heard({dropped, Events, Whys, Of}, S = #s{form = json}) ->
    Parts = maps:from_list([{lost_name(What), Count} || {What, Count} <- Of]),
    put_out(S, json([{"event", "dropped"}, {"events", Events}, {"why", Whys}, {"of", Parts}])),
    listen(lost(Of, S));
heard({dropped, _, _, Of}, S) ->
    listen(lost(Of, S));
heard({counts, Took, Counts}, S = #s{form = Form}) ->
    Sorted = lists:sort(fun({F, M}, {G, N}) -> {N, F} =< {M, G} end, Counts),
    put_out(S, [counted(Form, Function, Calls, Took) || {Function, Calls} <- Sorted]),
    listen(S#s{counts = Sorted});
heard({rows, Rows}, S = #s{sums = Sums}) -> listen(S#s{sums = viv_see_summing:add(Rows, Sums)});
heard({others, Row, Invalid}, S = #s{sums = Sums}) -> listen(S#s{sums = viv_see_summing:others(Row, Invalid, Sums)});
heard({'end', Why, #{took := Took}}, S = #s{sums = Sums, form = Form, node = Node}) when is_atom(Why) ->
    put_out(S, viv_see_summing:show(Form, Sums, Took, Node)),
    ended(S, viv_see_summing:words(Sums), 0);
heard({'end', Why, _}, S = #s{counts = Counts}) when is_list(Counts), is_atom(Why) ->
    Sum = lists:sum([Calls || {_, Calls} <- Counts]),
    ended(S, io_lib:format("~w calls of ~w functions", [Sum, length(Counts)]), 0);
heard({'end', {error, Text}, _}, S) -> ended(S, Text, 1);
heard({'end', Why, #{told := Told, dropped := Dropped}}, S = #s{lost = Lost}) ->
    ended(S, [io_lib:format("~w events", [Told]), [[", ", lost_text(Dropped, maps:to_list(Lost))] || Dropped > 0],
              [", then the session was ended by others" || Why =:= ended]], 0).

counted(text, Function, Calls, Took) ->
    io_lib:format("~10w ~8w/s ~ts~n", [Calls, Calls * 1000 div max(1, Took), viv_see_text:mfa(Function)]);
counted(json, Function, Calls, Took) ->
    json([{"event", "count"}, {"function", viv_see_text:mfa(Function)}, {"calls", Calls}, {"ms", Took}]).

lost(Of, S = #s{lost = Lost}) ->
    S#s{lost = lists:foldl(fun({What, Count}, Sums) -> Sums#{What => maps:get(What, Sums, 0) + Count} end, Lost, Of)}.

%% Of patterns calls are counted, and not what they would have returned besides.
lost_text(Events, Of) ->
    Most = lists:sort(fun({A, M}, {B, N}) -> {N, A} =< {M, B} end, Of),
    [io_lib:format("~w dropped", [Events]), [": " || Most =/= []],
     lists:join(", ", [io_lib:format("~w ~ts", [Count, lost_name(What)]) || {What, Count} <- Most])].

lost_name(What) when is_atom(What) -> atom_to_binary(What);
lost_name(Text) -> Text.

-spec ended(#s{}, iodata(), integer()) -> no_return().
ended(S = #s{form = folded, folded = Folded}, Text, Status) ->
    put_out(S, [io_lib:format("~ts ~w~n", [Stack, Count]) || {Stack, Count} <- lists:sort(maps:to_list(Folded))]),
    ended(S#s{form = none}, Text, Status);
ended(#s{}, Text, 0) ->
    viv_see_out:say("trace", Text),
    throw({exit, 0});
ended(#s{}, Text, _) -> throw({see, Text}).

told(Events, S = #s{form = folded, folded = Folded}) ->
    S#s{folded = lists:foldl(fun fold/2, Folded, Events)};
told(Events, S = #s{form = Form, node = Node}) ->
    put_out(S, [line(Form, Event, Node) || Event <- Events]),
    S.

put_out(#s{out = 1}, Text) -> viv_see_out:put(Text);
put_out(#s{out = File}, Text) ->
    case file:write(File, bytes(Text)) of
        ok -> ok;
        {error, Reason} -> throw({see, ["the file cannot be written: ", file:format_error(Reason)]})
    end.

bytes(Text) -> unicode:characters_to_binary(Text).

fold({trace_ts, _, call, Function, Caller, _}, Folded) ->
    Stack = bytes([caller(Caller), $;, viv_see_text:mfa(Function)]),
    Folded#{Stack => maps:get(Stack, Folded, 0) + 1};
fold(_, Folded) -> Folded.

caller(undefined) -> "undefined";
caller(Caller) -> viv_see_text:mfa(Caller).

%% --- lines ----------------------------------------------------------------------------------------------------------

line(Form, Event, Node) ->
    [trace_ts, Who, Kind | Rest] = tuple_to_list(Event),
    {Parts, [{Mega, Seconds, Micro}]} = lists:split(length(Rest) - 1, Rest),
    line(Form, (Mega * 1000000 + Seconds) * 1000000 + Micro, Who, Kind, Parts, Node).

line(text, Time, Who, Kind, Parts, Node) ->
    [viv_see_text:clock(Time), $\s, viv_see_text:term(Who, Node), $\s, text(Kind, Parts, Node), $\n];
line(json, Time, Who, Kind, Parts, Node) ->
    json([{"time_us", Time}, {"process", viv_see_text:term(Who, Node)}, {"event", atom_to_list(Kind)}
          | fields(Kind, Parts, Node)]).

text(call, [Call], Node) -> ["call ", call(Call, Node)];
text(call, [Call, Caller], Node) -> ["call ", call(Call, Node), " from ", caller(Caller)];
text(return_from, [Function, Value], Node) ->
    ["return ", viv_see_text:mfa(Function), " -> ", viv_see_text:term(Value, Node)];
text(exception_from, [Function, {Class, Reason}], Node) ->
    ["raise ", viv_see_text:mfa(Function), " -> ", atom_to_list(Class), $:, viv_see_text:term(Reason, Node)];
text(send, [Message, To], Node) -> ["send ", viv_see_text:term(To, Node), " ! ", viv_see_text:term(Message, Node)];
text(send_to_non_existing_process, Parts, Node) -> ["to nobody: ", text(send, Parts, Node)];
text('receive', [Message], Node) -> ["receive ", viv_see_text:term(Message, Node)];
text(spawn, [Pid, Call], Node) -> ["spawn ", viv_see_text:term(Pid, Node), $\s, call(Call, Node)];
text(spawned, [Pid, Call], Node) -> ["spawned by ", viv_see_text:term(Pid, Node), $\s, call(Call, Node)];
text(Kind, Parts, Node) -> lists:join($\s, [atom_to_list(Kind) | [part(Part, Node) || Part <- Parts]]).

part({Module, Function, Arity}, _) when is_atom(Module), is_atom(Function), is_integer(Arity) ->
    viv_see_text:mfa({Module, Function, Arity});
part(Part, Node) -> viv_see_text:term(Part, Node).

call({Module, Function, Arguments}, Node) when is_list(Arguments) ->
    Shown = [viv_see_text:term(Argument, Node) || Argument <- Arguments],
    [io_lib:format("~tw:~tw(", [Module, Function]), lists:join(", ", Shown), $)];
call(Other, Node) -> part(Other, Node).

fields(call, [{_, _, Arguments} = Call | Caller], Node) when is_list(Arguments) ->
    [{"function", viv_see_text:mfa(Call)}, {"arguments", {list, [viv_see_text:term(A, Node) || A <- Arguments]}} |
     [{"caller", caller(C)} || C <- Caller]];
fields(return_from, [Function, Value], Node) ->
    [{"function", viv_see_text:mfa(Function)}, {"value", viv_see_text:term(Value, Node)}];
fields(exception_from, [Function, {Class, Reason}], Node) ->
    [{"function", viv_see_text:mfa(Function)}, {"class", atom_to_list(Class)},
     {"reason", viv_see_text:term(Reason, Node)}];
fields(_, Parts, Node) -> [{"parts", {list, [part(Part, Node) || Part <- Parts]}}].

%% An object, a line.
json(Fields) ->
    [viv_json:encode(maps:from_list([{list_to_binary(Name), value(Value)} || {Name, Value} <- Fields])), $\n].

value(Value) when is_integer(Value); is_map(Value) -> Value;
value({list, Texts}) -> [bytes(Text) || Text <- Texts];
value(Text) -> bytes(Text).
