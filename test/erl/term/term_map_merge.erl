%% maps:merge/2: maps that share parts or none, of all sizes; what comes out, and in which order it is walked. Keys are
%% of kinds whose hashes are the same on every runtime.
-module(term_map_merge).
-export([main/0]).
-include("../t.hrl").

main() ->
    [t({random, Seed}, fun() -> random(Seed) end) || Seed <- lists:seq(1, 10)],
    t(zeros, fun zeros/0),
    t(many, fun many/0).

random(Seed) ->
    rand:seed(exsss, Seed),
    [checked(A, B) || _ <- lists:seq(1, 60), Base <- [changed(#{}, rand:uniform(200))],
                      A <- [changed(Base, rand:uniform(50))],
                      B <- [changed(Base, rand:uniform(9)), changed(Base, 100), changed(#{}, rand:uniform(120))]].

checked(A, B) ->
    Merged = maps:merge(A, B),
    Merged = maps:from_list(maps:to_list(A) ++ maps:to_list(B)),
    {map_size(Merged), erlang:phash2(maps:to_list(Merged)), erlang:phash2(walked(maps:next(maps:iterator(Merged)))),
     maps:keys(Merged) =:= maps:keys(maps:merge(B, A))}.

walked(none) -> [];
walked({K, V, Next}) -> [{K, V} | walked(maps:next(Next))].

changed(Map, 0) -> Map;
changed(Map, N) ->
    case rand:uniform(4) of
        1 -> changed(maps:remove(key(), Map), N - 1);
        _ -> changed(Map#{key() => rand:uniform(4)}, N - 1)
    end.

key() ->
    case rand:uniform(6) of
        1 -> rand:uniform(50) * 1.0;
        2 -> {rand:uniform(5), rand:uniform(9)};
        3 -> integer_to_binary(rand:uniform(60));
        4 -> [rand:uniform(9), rand:uniform(9)];
        _ -> rand:uniform(100)
    end.

%% Where both have a key the second map's pair is there, its key included.
zeros() ->
    [Plus, Minus] = [binary_to_term(<<131, 70, Sign, 0:56>>) || Sign <- [0, 128]],
    Map = fun(Size) -> maps:from_list([{I, x} || I <- lists:seq(1, Size)]) end,
    [[Pair || {K, _} = Pair <- maps:to_list(maps:merge((Map(N))#{A => V}, (Map(M))#{B => W})), K == 0.0]
     || N <- [0, 5, 50], M <- [0, 5, 50], {A, B} <- [{Plus, Minus}, {Minus, Plus}], V <- [1, 2], W <- [1, 2]].

%% Long enough to take its time.
many() ->
    Map = maps:from_list([{I, I} || I <- lists:seq(1, 200000)]),
    Other = maps:from_list([{I, -I} || I <- lists:seq(100000, 300000)]),
    Merged = maps:merge(Map, Other),
    {map_size(Merged), lists:sum(maps:values(Merged)), map_size(maps:merge(Merged, Map#{0 => 0})),
     maps:merge(Merged, Other) =:= Merged}.
