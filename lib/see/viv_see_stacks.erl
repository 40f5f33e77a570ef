%% Stacks and how often each was seen: #{[Name] => Count}, names from the root on, as UTF-8.
-module(viv_see_stacks).
-export([count/1, functions/1, tree/1, cleaned/1, to_folded/1, from_folded/1, to_speedscope/2, to_pprof/3]).
-export_type([stacks/0, tree/0]).

-type stacks() :: #{[binary()] => non_neg_integer()}.
-type tree() :: {Total :: non_neg_integer(), #{binary() => tree()}}.

-spec count(stacks()) -> non_neg_integer().
count(Stacks) -> lists:sum(maps:values(Stacks)).

%% {Name, Self, Total}, those with most of their own first. What calls itself counts once.
-spec functions(stacks()) -> [{binary(), non_neg_integer(), non_neg_integer()}].
functions(Stacks) ->
    Sums = maps:fold(fun sum/3, #{}, Stacks),
    Rows = [{Name, Self, Total} || {Name, {Self, Total}} <- maps:to_list(Sums)],
    lists:sort(fun({A, Self, Total}, {B, Self2, Total2}) -> {Self, Total, B} >= {Self2, Total2, A} end, Rows).

sum([], _, Sums) -> Sums;
sum(Stack, Count, Sums) ->
    lists:foldl(fun(Name, S) -> add(Name, {0, Count}, S) end, add(lists:last(Stack), {Count, 0}, Sums),
                lists:usort(Stack)).

add(Name, {Self, Total}, Sums) ->
    {S, T} = maps:get(Name, Sums, {0, 0}),
    Sums#{Name => {S + Self, T + Total}}.

-spec tree(stacks()) -> tree().
tree(Stacks) -> maps:fold(fun grow/3, {0, #{}}, Stacks).

grow([Name | Names], Count, {Total, Children}) ->
    {Total + Count, Children#{Name => grow(Names, Count, maps:get(Name, Children, {0, #{}}))}};
grow([], Count, {Total, Children}) -> {Total + Count, Children}.

%% A line for each: names joined by `;`, and the count.
-spec to_folded(stacks()) -> iodata().
to_folded(Stacks) ->
    [[lists:join($;, Stack), $\s, integer_to_binary(Count), $\n]
     || {Stack, Count} <- lists:sort(maps:to_list(cleaned(Stacks)))].

%% As from_folded/1 would give them of to_folded/1.
-spec cleaned(stacks()) -> stacks().
cleaned(Stacks) ->
    maps:fold(fun(Stack, Count, Sums) -> merge([clean(Name) || Name <- Stack], Count, Sums) end, #{}, Stacks).

merge(Stack, Count, Sums) -> Sums#{Stack => maps:get(Stack, Sums, 0) + Count}.

clean(Name) -> binary:replace(Name, [<<";">>, <<"\n">>], <<" ">>, [global]).

%% Fails for what are no folded stacks.
-spec from_folded(binary()) -> stacks().
from_folded(Bytes) ->
    lists:foldl(fun(Line, Stacks) ->
                        [Names, Count] = string:split(Line, " ", trailing),
                        merge(binary:split(Names, <<";">>, [global]), binary_to_integer(Count), Stacks)
                end, #{}, binary:split(Bytes, <<"\n">>, [global, trim_all])).

%% A profile of the file format of speedscope.
-spec to_speedscope(stacks(), node()) -> iodata().
to_speedscope(Stacks, Node) ->
    All = lists:sort(maps:to_list(Stacks)),
    Names = lists:usort(lists:append(maps:keys(Stacks))),
    Numbers = maps:from_list(lists:zip(Names, lists:seq(0, length(Names) - 1))),
    viv_json:encode(#{'$schema' => <<"https://www.speedscope.app/file-format-schema.json">>,
                      exporter => <<"viv sample">>, name => atom_to_binary(Node),
                      shared => #{frames => [#{name => Name} || Name <- Names]},
                      profiles => [#{type => <<"sampled">>, name => atom_to_binary(Node), unit => <<"none">>,
                                     startValue => 0, endValue => count(Stacks),
                                     samples => [[maps:get(Name, Numbers) || Name <- Stack] || {Stack, _} <- All],
                                     weights => [Count || {_, Count} <- All]}]}).

%% A CPU profile with names as google-pprof reads it (gperftools, "Profile file format"): words of eight bytes, of a
%% header, of each stack, newest first, and of a trailer. A name's number, sixteenfold, is its address; of callers the
%% reader looks at the byte before it, where the call was.
-spec to_pprof(stacks(), node(), pos_integer()) -> iodata().
to_pprof(Stacks, Node, Rate) ->
    Names = lists:usort(lists:append(maps:keys(Stacks))),
    Addresses = maps:from_list(lists:zip(Names, lists:seq(16, 16 * length(Names), 16))),
    ["--- symbol\nbinary=", atom_to_binary(Node), $\n,
     [[io_lib:format("0x~16.16.0b ", [At]), clean(Name), $\n]
      || {Name, Address} <- lists:keysort(2, maps:to_list(Addresses)), At <- [Address - 1, Address]],
     "---\n--- profile\n", words([0, 3, 0, 1000000 div Rate, 0]),
     [words([Count, length(Stack) | [maps:get(Name, Addresses) || Name <- lists:reverse(Stack)]])
      || {Stack, Count} <- lists:sort(maps:to_list(Stacks))],
     words([0, 1, 0])].

words(Words) -> << <<Word:64/little>> || Word <- Words >>.
