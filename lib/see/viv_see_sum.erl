%% viv trace --by KEY, --hist VALUE, in the node: calls that are summed up where they happen. No event is sent.
%%
%%   {rows, [{Key, Figures}]}       of one pattern, as trace:info/3 has them, in pieces, at the end
%%   {others, Figures, Invalid}     of each pattern: calls beyond the rows of a table, and how many had no such value
%%   {'end', Why, #{took => Milliseconds}}    time | stopped, or {error, Text}
-module(viv_see_sum).
-export([run/2]).

-define(ROWS, 1000). % of each pattern on each scheduler
-define(TOGETHER, 100). % rows in one frame of the protocol
-define(DEPTH, 8).
-define(SIZE, 128). % words of a key

run(Options = #{time := Time}, Link) ->
    try begin_session(Options) of
        {Session, Functions} ->
            Start = erlang:monotonic_time(millisecond),
            Why = receive stop -> stopped after Time -> time end,
            Took = erlang:monotonic_time(millisecond) - Start,
            Sums = [Sum || {_, Of} <- Functions, Sum <- sum(Session, Of)],
            true = trace:session_destroy(Session),
            _ = [tell(Sum, Link) || Sum <- Sums],
            viv_see_link:tell(Link, {'end', Why, #{took => Took}})
    catch
        throw:{error, Text} -> viv_see_link:tell(Link, {'end', {error, Text}, #{}})
    end.

begin_session(#{patterns := Patterns, histogram := Histogram, processes := Which}) ->
    Session = trace:session_create(viv_see, self(), [{limit, #{depth => ?DEPTH, size => ?SIZE}}, {reload, keep}]),
    Only = case Which of
               [all] -> all;
               _ -> traced
           end,
    Set = [{Text, set(Session, Pattern, #{histogram => Histogram, only => Only, rows => ?ROWS})}
           || {Text, _, _} = Pattern <- Patterns],
    Only =:= all orelse lists:sum([switch(Session, viv_see_trace:traced(What)) || What <- Which]) > 0 orelse
        Which =:= [new] orelse throw({error, <<"none of the processes is there">>}),
    {Session, viv_see_trace:functions(Set)}.

set(Session, {Text, Names, Pattern}, Form) ->
    {{Module, Function, Arity, Clauses}, Key, Value} = viv_see_trace:pattern(Text, Names, Pattern),
    Specification = [{Head, Conditions, []} || {Head, Conditions} <- Clauses],
    Sum = {sum, Form#{key => Key, value => Value}},
    viv_see_trace:set(Session, {Text, {Module, Function, Arity}}, Specification, [Sum]).

switch(Session, What) ->
    try trace:process(Session, What, true, [call])
    catch error:_ -> 0 % it has ended
    end.

%% A pattern's functions have one sum together. Replaced code may have some of them no more; then others tell it.
sum(_, []) -> [];
sum(Session, [Function | Others]) ->
    case viv_see_trace:info(Session, Function, sum) of
        Sum when is_map(Sum) -> [Sum];
        _ -> sum(Session, Others)
    end.

tell(#{rows := Rows, other := {other, Others}, invalid := Invalid}, Link) ->
    tell_rows(Rows, Link),
    viv_see_link:tell(Link, {others, Others, Invalid}).

tell_rows([], _) -> ok;
tell_rows(Rows, Link) ->
    {Some, Others} = lists:split(min(?TOGETHER, length(Rows)), Rows),
    case viv_see_link:tell(Link, {rows, Some}) of
        ok -> tell_rows(Others, Link);
        closed -> exit(shutdown)
    end.
