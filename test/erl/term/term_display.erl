%% erlang:display/1 of terms of all kinds.
-module(term_display).
-export([main/0]).

main() ->
    rand:seed(exsss, {1, 2, 3}),
    [erlang:display(T) || T <- fixed() ++ [term(3) || _ <- lists:seq(1, 200)]],
    ok.

fixed() ->
    [1.5, 0.1, 1.0e300, -0.0, 5.0e-324, [], "abc", "a\nb", "a\tb\"c\\d", "\x{e5}", "\x{7f}", [1, 2, 3], [a | b], "ab" ++ [300], "abc" ++ [x],
     {}, {a, b, "c"}, #{}, #{a => 1, b => "x"}, <<>>, <<1, 2, 3>>, <<"abc">>, <<"a\nb">>, <<"abc", 0>>, <<1:1>>, <<5:3>>, <<"abc", 1:3>>,
     <<"abc\"d\\e">>, <<"\x{e5}"/utf8>>, 'a b', 'A', a@b, '', '\x{e5}', '\x{100}', 'a\nb', 'a\'b', 'a\\b', 'if', '_a', 'a\x{1}b', 'a\eb', '\x{d7}x',
     1 bsl 70, -(1 bsl 70), fun lists:map/2, fun 'A B':'c d'/3, maps:from_list([{I, [I]} || I <- lists:seq(1, 100)]),
     maps:from_list([{{I, "x"}, #{I => I}} || I <- lists:seq(1, 40)])].

term(0) -> leaf();
term(N) ->
    case rand:uniform(7) of
        1 -> [term(N - 1) || _ <- lists:seq(1, rand:uniform(4))];
        2 -> list_to_tuple([term(N - 1) || _ <- lists:seq(1, rand:uniform(4))]);
        3 -> maps:from_list([{term(N - 1), term(N - 1)} || _ <- lists:seq(1, rand:uniform(4))]);
        4 -> [term(N - 1) | leaf()];
        5 -> [rand:uniform(256) - 1 || _ <- lists:seq(1, rand:uniform(12))];
        6 -> [rand:uniform(96) + 31 || _ <- lists:seq(1, rand:uniform(12))];
        _ -> leaf()
    end.
leaf() ->
    case rand:uniform(5) of
        1 -> list_to_atom([rand:uniform(256) - 1 || _ <- lists:seq(1, rand:uniform(4))]);
        2 -> (rand:uniform() - 0.5) * math:pow(10, rand:uniform(20) - 5);
        3 -> <<(rand:uniform(1 bsl 64)):(rand:uniform(80) - 1)>>;
        4 -> list_to_binary([rand:uniform(100) + 30 || _ <- lists:seq(1, rand:uniform(10))]);
        5 -> rand:uniform(1 bsl rand:uniform(100)) - 1000
    end.
