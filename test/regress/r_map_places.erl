%% Keys of all kinds find their places in small maps, whatever stands there already: those of which the first key tells
%% where all others stand (small integers, atoms, pairs like {b_var, 12}), and those among which it does not. The same
%% terms are sorted, compared and united, for what is told at a glance.
-module(r_map_places).
-export([main/0]).

main() ->
    [io:format("~s ~p~n", [Name, erlang:phash2(lists:foldl(fun round/2, {Pool, 17, []}, lists:seq(1, 150)))])
     || {Name, Pool} <- pools()],
    io:format("~p~n", [[lists:sort(Pool) || {_, Pool} <- pools()]]),
    All = lists:append([Pool || {_, Pool} <- pools()]),
    io:format("~p~n", [erlang:phash2([{A < B, A =< B, A == B, A =:= B} || A <- All, B <- All])]),
    Numbers = [N || N <- All, is_integer(N)],
    io:format("~p~n", [[{A bor B, A band B, A bxor B} || A <- Numbers, B <- Numbers]]),
    io:format("~p~n", [[here(a, not_a_map), here(a, []), guarded(a, []), guarded(a, #{a => 1})]]).

here(Key, Map) -> try is_map_key(Key, Map) catch error:Reason -> Reason end.
got(Key, Map) -> try map_get(Key, Map) catch error:Reason -> Reason end.
guarded(Key, Map) when is_map_key(Key, Map) -> true;
guarded(_, _) -> false.

pools() ->
    Small = [0, 1, -1, 7, 12, 300, -300, 1 bsl 40, -(1 bsl 40), (1 bsl 59) - 1, -(1 bsl 59), 99, 98, 97],
    Big = [1 bsl 64, -(1 bsl 64), (1 bsl 64) + 1, 1 bsl 130, -(1 bsl 130), (1 bsl 130) + 5, 1 bsl 63, 1 bsl 61],
    Float = [0.0, 1.0, -1.0, 7.5, 1.0e300, -1.0e300],
    Atom = [a, b, aa, ab, abcdefgh, abcdefghi, abcdefghj, '', z, true, false, undefined],
    Name = [{b_var, N} || N <- [1, 2, 3, 10, 11, 12, 300, -1]],
    Other = [{b_var, x}, {b_var, y}, {b_var, {x, 1}}, {b_var, {x, 2}}, {b_var, {y, 1}}, {b_var, 1 bsl 70},
             {b_var, 2.0}, {b_var, "x"}, {b_var, []}, {b_var, -(1 bsl 70)}],
    Tuple = [{}, {a}, {b}, {a, b, c}, {1, 2}, {1, a}, {a, 1}, {c, 1}, {c, {d, {e, 1}}}, {c, {d, {e, 2}}}, {1.0, 2},
             {{a}, {b}}, {{a}, {c}}, {{a, 1}, {b, 1, 2}}, {b_var, 1, 2}],
    Rest = [[], "a", "ab", [a | b], <<>>, <<"a">>, <<1:3>>, <<"abcdefghijk">>, #{}, #{a => 1}, fun erlang:abs/1],
    [{"smalls", Small}, {"integers", Small ++ Big}, {"numbers", Small ++ Big ++ Float}, {"atoms", Atom},
     {"atoms and numbers", Atom ++ Small ++ Float}, {"names", Name}, {"other names", Name ++ Other},
     {"names after negative bigs", Other ++ Name ++ [{a, 1}, {c, 2}]}, {"tuples", Tuple ++ Name},
     {"all", Small ++ Big ++ Float ++ Atom ++ Name ++ Other ++ Tuple ++ Rest}].

%% Some of the pool, in any order, into a map one by one, and out of it again.
round(_, {Pool, Seed, Seen}) ->
    {Keys, Next} = chosen(Pool, Seed, []),
    Put = lists:foldl(fun(Key, Map) -> Map#{Key => {Key}} end, #{}, Keys),
    Same = lists:foldl(fun(Key, Map) -> maps:put(Key, {Key}, Map) end, #{}, Keys),
    Same = Put,
    Same = maps:from_list([{Key, {Key}} || Key <- Keys]),
    Again = lists:foldl(fun(Key, Map) -> Map#{copy(Key) => again} end, Put, lists:droplast(Keys)),
    Found = [{is_map_key(Key, Put), maps:get(copy(Key), Put, none), got(Key, Put)} || Key <- Pool],
    Left = lists:foldl(fun(Key, Map) -> maps:remove(copy(Key), Map) end, Put, tl(Keys)),
    {Pool, Next, [erlang:phash2({in_order(Put), in_order(Again), Found, in_order(Left)}) | Seen]}.

%% Only of small maps the order is told by the keys.
in_order(Map) when map_size(Map) =< 32 -> maps:to_list(Map);
in_order(Map) -> lists:sort([erlang:phash2(Pair) || Pair <- maps:to_list(Map)]).

copy(Term) -> binary_to_term(term_to_binary(Term)).

chosen(Pool, Seed, Keys) when length(Keys) > 3, Seed rem 23 =:= 0 -> {Keys, next(Seed) + length(Pool)};
chosen(_, Seed, Keys) when length(Keys) > 40 -> {Keys, next(Seed)};
chosen(Pool, Seed, Keys) -> chosen(Pool, next(Seed), [lists:nth(1 + Seed div 7 rem length(Pool), Pool) | Keys]).

next(Seed) -> (Seed * 1103515245 + 12345) band 16#7fffffff.
