%% Characters nested deeper than one slice descends: each began at the top again, and the conversion never ended.
-module(r_unicode_deep).
-export([main/0]).

main() ->
    [show(Name, Deep(Depth, Bottom))
     || Depth <- [10, 70000, 300000], {Name, Deep} <- [{left, fun left/2}, {right, fun right/2}],
        Bottom <- [[], [$a, <<"b">>], <<"c", 16#c3>>, [<<16#ff, "d">>, $e]]],
    {match, [<<"x">>]} = re:run(left(100000, [$x]), "x", [unicode, {capture, first, binary}]),
    ok.

left(Depth, Bottom) -> lists:foldl(fun(I, Inner) -> [Inner, $a + I rem 26] end, Bottom, lists:seq(1, Depth)).
right(Depth, Bottom) -> lists:foldl(fun(I, Inner) -> [$a + I rem 26, Inner] end, Bottom, lists:seq(1, Depth)).

show(Name, Data) ->
    io:format("~p: ~p~n", [Name, [brief(unicode:F(Data, E))
                                  || F <- [characters_to_binary, characters_to_list], E <- [unicode, latin1]]]).

brief({Kind, Done, Rest}) -> {Kind, brief(Done), brief_rest(Rest)};
brief(Done) -> erlang:phash2(Done).

%% How deep what is left lies, and what it ends with.
brief_rest(Rest) -> {erlang:phash2(lists:flatten([Rest])), depth(Rest, 0)}.

depth([Head | _], N) when is_list(Head) -> depth(Head, N + 1);
depth(_, N) -> N.
