%% Comparing a term with a copy of it that lies elsewhere, whole or with one leaf changed: what comparison finds is deep
%% inside, behind much that is the same.
-module(term_near_copies).
-export([main/0]).
-include("../t.hrl").

main() -> [t({seed, Seed}, fun() -> run(Seed) end) || Seed <- lists:seq(1, 12)].

run(Seed) ->
    rand:seed(exsss, Seed),
    {[compared(T) || _ <- lists:seq(1, 150), T <- [term(4)]], [compared(row(N)) || N <- lists:seq(1, 40)]}.

compared(T) ->
    Copy = binary_to_term(term_to_binary(T)),
    Near = near(T),
    {Near2, Other} = {[near(T) | Near], [Copy | near(T)]},
    {T =:= Copy, T == Copy, T < Copy, T =< Copy, order(T, Near), order({Copy, 1}, {Near, 1.0}), order([Copy], [T | Near]),
     order(Near2, Other), order(#{x => T, y => 1}, #{x => Near, y => 2}), maps:is_key(Near, #{T => 1})}.

order(A, B) -> {A < B, A =< B, A == B, A =:= B, A > B, A >= B, B < A, erts_internal:cmp_term(A, B) < 0}.

%% Long lists of small tuples, binaries and cells.
row(N) -> [{I, a, [I], <<I>>, 1.0e300, {I, -I}} || I <- lists:seq(1, N)].

term(0) -> leaf();
term(Depth) ->
    case rand:uniform(7) of
        1 -> list_to_tuple(terms(Depth));
        2 -> terms(Depth) ++ leaf();
        3 -> maps:from_list([{leaf(), T} || T <- terms(Depth)]);
        4 -> maps:from_list([{{I, leaf()}, leaf()} || I <- lists:seq(1, 34)]);
        5 -> leaf();
        _ -> terms(Depth)
    end.

terms(Depth) -> [term(Depth - 1) || _ <- lists:seq(1, rand:uniform(6) - 1)].

leaf() ->
    case rand:uniform(12) of
        1 -> rand:uniform(10) * 1.0;
        2 -> 1 bsl (50 + rand:uniform(30));
        3 -> 1.0e300 / rand:uniform(3);
        4 -> binary:copy(<<"ab">>, rand:uniform(4));
        5 -> binary:copy(<<"0123456789">>, 5 + rand:uniform(4));
        6 -> binary:part(<<"abcdefghijklmnop">>, rand:uniform(6), rand:uniform(6));
        7 -> <<(rand:uniform(8)):3>>;
        8 -> [];
        9 -> fun lists:map/2;
        10 -> element(rand:uniform(3), {a, b, abc});
        _ -> rand:uniform(20) - 10
    end.

%% Mostly one leaf is another one.
near(T) when is_tuple(T), tuple_size(T) > 0 ->
    I = rand:uniform(tuple_size(T)),
    setelement(I, T, near(element(I, T)));
near([H | T]) ->
    case rand:uniform(4) of
        1 -> [near(H) | T];
        _ -> [H | near(T)]
    end;
near(T) when is_map(T), map_size(T) > 0 ->
    Keys = lists:sort(maps:keys(T)),
    Key = lists:nth(rand:uniform(length(Keys)), Keys),
    case rand:uniform(4) of
        1 -> maps:put(leaf(), x, maps:remove(Key, T));
        _ -> T#{Key := near(maps:get(Key, T))}
    end;
near(T) when is_integer(T), T > -100, T < 100 -> element(rand:uniform(3), {T + 1, float(T), T - 1});
near(_) -> leaf().
