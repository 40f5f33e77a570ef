%% viv trace --by KEY, --hist VALUE, on the client's side: what is asked for, and the rows as text or lines of JSON.
-module(viv_see_summing).
-export([is_wanted/2, request/4, add/2, others/3, show/4, words/1]).

-record(sums, {title, parts, kind, rows = #{}, others = 0, invalid = 0}).
-define(SHOWN, 40). % rows of text
-define(QUANTILES, [500, 900, 990]). % thousandths

%% --count alone counts whole functions, whoever calls them: that has a cheaper way (viv_see_count).
is_wanted(Options, Patterns) ->
    Asked = [Name || {Name, _} <- Options, lists:member(Name, ["--by", "--hist"])] =/= [],
    Chosen = [Name || {Name, _} <- Options, lists:member(Name, ["--pid", "--name", "--new"])] =/= [],
    Asked orelse (proplists:is_defined("--count", Options) andalso
                  (Chosen orelse [ok || {_, {_, _, _, Clauses}} <- Patterns, Clauses =/= [{'_', []}]] =/= [])).

%% Texts are patterns that are such.
request(Options, Texts, Processes, Target) ->
    Parts = case [part(Text) || {"--by", Text} <- Options] of
                [] -> [function];
                Some when length(Some) =< 4 -> Some;
                _ -> throw({usage, "--by may be given four times at most"})
            end,
    Value = case proplists:get_value("--hist", Options) of
                undefined -> 1;
                "time" -> time;
                Text -> {expression, Text}
            end,
    Kind = case Value of
               1 -> count;
               time -> time;
               _ -> value
           end,
    Title = [lists:join(", ", Texts), [[", ", Shown] || {"--hist", Shown} <- Options]],
    {#sums{title = Title, parts = Parts, kind = Kind},
     #{patterns => [pattern(Text, Parts, Value, Target) || Text <- Texts], histogram => Kind =/= count,
       processes => Processes, time => proplists:get_value("--for", Options, infinity)}}.

part("caller") -> caller;
part("process") -> process;
part("name") -> name;
part("scheduler") -> scheduler;
part("function") -> function;
part("initial call") -> initial_call;
part("initial_call") -> initial_call;
part(Text) -> {expression, Text}.

pattern(Text, Parts, Value, Target) ->
    {ok, Pattern} = viv_see_pattern:parse(Text),
    Said = try said(Text, Text, Parts, Value)
           catch throw:{usage, Why} -> said_by_heads(Pattern, Text, Parts, Value, Target, Why)
           end,
    {unicode:characters_to_binary(Text), [atom_to_binary(Atom) || Atom <- viv_see_pattern:atoms(Said)],
     term_to_binary(Said)}.

said(Text, Shown, Parts, Value) ->
    {ok, Pattern} = viv_see_pattern:parse(Text),
    {Pattern, [over(Part, Text, Shown) || Part <- Parts], over(Value, Text, Shown)}.

%% A pattern without arguments has those that the function has where it was written.
said_by_heads({Module, Name, Arity, [{'_', []}]}, Shown, Parts, Value, Target, Why) when is_integer(Arity), Arity > 0 ->
    case heads(Target, Module, Name, Arity) of
        [] -> throw({usage, [Why, "(nor does the node know what the arguments of ", Shown, " are called: write ",
                             io_lib:format("~tw:~tw(~ts)", [Module, Name, lists:join(", ", others(Arity))]), ")\n"]});
        Heads -> said(lists:flatten(io_lib:format("~tw:~tw(~ts)", [Module, Name, lists:join(", ", Heads)])), Shown,
                      Parts, Value)
    end;
said_by_heads(_, _, _, _, _, Why) -> throw({usage, Why}).

others(Arity) -> ["Name" | lists:duplicate(Arity - 1, "_")].

heads(Target, Module, Name, Arity) ->
    Function = {atom_to_binary(Module), atom_to_binary(Name), Arity},
    {Conversation, _} = viv_see_target:open(Target, {names, #{of_kind => heads, function => Function}}),
    case viv_see_target:hear(Conversation) of
        {{heads, Heads}, _} -> Heads;
        {{'end', _, _}, _} -> [] % an earlier version
    end.

over({expression, Text}, Pattern, Shown) ->
    case viv_see_pattern:expression(Text, Pattern) of
        {ok, Expression} -> {expression, Expression};
        {error, Mistake} ->
            throw({usage, ["this is nothing that can be told of calls of ", Shown, $\n,
                           viv_see_pattern:show(Text, Mistake), $\n]})
    end;
over(Word, _, _) -> Word.

%% --- what comes -----------------------------------------------------------------------------------------------------

%% Of several patterns: rows of the same key are one.
add(Rows, Sums = #sums{rows = Before}) ->
    Sums#sums{rows = lists:foldl(fun({Key, Row}, All) -> All#{Key => merged(Row, maps:get(Key, All, none))} end,
                                 Before, Rows)}.

merged(Row, none) -> Row;
merged(A, B) ->
    maps:map(fun(Name, Value) -> merged(Name, Value, maps:get(Name, B)) end, A).

merged(least, A, B) -> min(A, B);
merged(most, A, B) -> max(A, B);
merged(histogram, A, B) ->
    lists:sort(maps:values(lists:foldl(fun({From, To, N}, All) ->
                                               {_, _, M} = maps:get(From, All, {From, To, 0}),
                                               All#{From => {From, To, N + M}}
                                       end, #{}, A ++ B)));
merged(_, A, B) -> A + B.

others(#{count := Count}, Wrong, Sums = #sums{others = Others, invalid = Invalid}) ->
    Sums#sums{others = Others + Count, invalid = Invalid + Wrong}.

%% --- what is shown --------------------------------------------------------------------------------------------------

%% -> lines
show(text, Sums = #sums{kind = Kind}, Took, Node) ->
    Rows = sorted(Sums),
    {Shown, Others} = lists:split(min(?SHOWN, length(Rows)), Rows),
    [heading(Kind), [line(Row, Sums, Took, Node) || Row <- Shown],
     [io_lib:format("~10s and ~w keys more~n", ["...", length(Others)]) || Others =/= []]];
show(json, Sums, Took, Node) -> [[viv_json:encode(Object), $\n] || Object <- objects(Sums, Took, Node)];
show(timeline, Sums = #sums{title = Title}, Took, Node) ->
    iolist_to_binary(viv_see_histogram:page(objects(Sums, Took, Node), Title, Node)).

objects(Sums, Took, Node) -> [object(Row, Sums, Took, Node) || Row <- sorted(Sums)].

sorted(#sums{rows = Rows, kind = Kind}) ->
    By = case Kind of
             time -> sum;
             _ -> count
         end,
    lists:sort(fun({A, #{By := M}}, {B, #{By := N}}) -> {N, A} =< {M, B} end, maps:to_list(Rows)).

heading(count) -> io_lib:format("~10s ~10s~n", ["calls", "a second"]);
heading(_) -> io_lib:format("~10s ~9s ~9s ~9s ~9s ~9s~n", ["calls", "least", "half", "90 %", "99 %", "most"]).

line({Key, #{count := Count}}, #sums{kind = count, parts = Parts}, Took, Node) ->
    io_lib:format("~10w ~10w  ~ts~n", [Count, Count * 1000 div max(1, Took), key(Key, Parts, Node)]);
line({Key, Row = #{count := Count, least := Least, most := Most}}, #sums{kind = Kind, parts = Parts}, _, Node) ->
    Values = [Least] ++ quantiles(Row) ++ [Most],
    io_lib:format("~10w ~ts  ~ts~n", [Count, lists:join($\s, [pad(value(Kind, Value)) || Value <- Values]),
                                     key(Key, Parts, Node)]).

pad(Text) -> string:pad(Text, 9, leading).

%% Read off classes of values: never more than the largest that there was.
quantiles(#{histogram := Histogram, most := Most}) ->
    [min(Most, trace:quantile(Histogram, PerMille)) || PerMille <- ?QUANTILES].

value(time, Ns) when Ns < 1000 -> io_lib:format("~w ns", [Ns]);
value(time, Ns) when Ns < 1000000 -> io_lib:format("~.1f us", [Ns / 1000]);
value(time, Ns) when Ns < 1000000000 -> io_lib:format("~.1f ms", [Ns / 1000000]);
value(time, Ns) -> io_lib:format("~.2f s", [Ns / 1000000000]);
value(value, Value) -> integer_to_list(Value).

key(Key, Parts, Node) -> lists:join("  ", keys(Key, Parts, Node)).

keys(Keys, Parts, Node) -> [shown(Part, Key, Node) || {Part, Key} <- lists:zip(Parts, Keys)].

shown(Part, {_, _, _} = Function, _) when Part =:= caller; Part =:= initial_call; Part =:= function ->
    viv_see_text:mfa(Function);
shown(_, Key, Node) -> viv_see_text:term(Key, Node).

object({Key, Row = #{count := Count}}, #sums{kind = Kind, parts = Parts}, Took, Node) ->
    Fields = #{event => sum, key => [unicode:characters_to_binary(Text) || Text <- keys(Key, Parts, Node)],
               calls => Count, ms => Took},
    figures(Kind, Fields, Row).

figures(count, Fields, _) -> Fields;
figures(Kind, Fields, Row = #{sum := Sum, least := Least, most := Most, histogram := Histogram}) ->
    Unit = case Kind of
               time -> ns;
               value -> integer
           end,
    [Half, Nine, NinetyNine] = quantiles(Row),
    Fields#{unit => Unit, sum => Sum, least => Least, most => Most, p50 => Half, p90 => Nine, p99 => NinetyNine,
            histogram => [[From, To, N] || {From, To, N} <- Histogram]}.

%% What is said at the end.
words(#sums{rows = Rows, others = Others, invalid = Invalid}) ->
    Calls = Others + lists:sum([Count || #{count := Count} <- maps:values(Rows)]),
    [io_lib:format("~w calls under ~w keys", [Calls, map_size(Rows)]),
     [io_lib:format(", and ~w of them under more", [Others]) || Others > 0],
     [io_lib:format("; ~w calls had no integer for a value", [Invalid]) || Invalid > 0]].
