%% Stacks that viv sample has put together, and what is made of them.
-module(viv_see_stacks_tests).
-include_lib("eunit/include/eunit.hrl").

stacks() -> #{[<<"a">>] => 1, [<<"a">>, <<"b">>] => 3, [<<"a">>, <<"b">>, <<"a">>] => 4, [<<"c">>] => 2}.

%% `a` calls itself by way of `b`, and counts once.
functions_test() ->
    ?assertEqual([{<<"a">>, 5, 8}, {<<"b">>, 3, 7}, {<<"c">>, 2, 2}], viv_see_stacks:functions(stacks())).

nothing_test() ->
    ?assertEqual([], viv_see_stacks:functions(#{})),
    ?assertEqual(0, viv_see_stacks:count(#{})),
    ?assertEqual({0, #{}}, viv_see_stacks:tree(#{})),
    ?assertEqual(<<>>, iolist_to_binary(viv_see_stacks:to_folded(#{}))).

tree_test() ->
    ?assertEqual({10, #{<<"a">> => {8, #{<<"b">> => {7, #{<<"a">> => {4, #{}}}}}}, <<"c">> => {2, #{}}}},
                 viv_see_stacks:tree(stacks())).

folded_test() ->
    Folded = iolist_to_binary(viv_see_stacks:to_folded(stacks())),
    ?assertEqual(<<"a 1\na;b 3\na;b;a 4\nc 2\n">>, Folded),
    ?assertEqual(stacks(), viv_see_stacks:from_folded(Folded)).

%% Names with a blank, and with what parts lines and names.
names_test() ->
    Stacks = #{[<<"m:'a b'/1">>, <<"m:'a;b'/1">>] => 1},
    Folded = iolist_to_binary(viv_see_stacks:to_folded(Stacks)),
    ?assertEqual(<<"m:'a b'/1;m:'a b'/1 1\n">>, Folded),
    ?assertEqual(#{[<<"m:'a b'/1">>, <<"m:'a b'/1">>] => 1}, viv_see_stacks:from_folded(Folded)).

no_folded_test_() ->
    [?_assertError(_, viv_see_stacks:from_folded(Text)) || Text <- [<<"a">>, <<"a b">>, <<0, 1, 2>>]].

%% As many as there are in all now, and then, say how much more.
compared_test() ->
    Page = iolist_to_binary(viv_see_flame:page(#{[<<"a">>] => 30, [<<"b">>] => 10}, #{[<<"a">>] => 1, [<<"c">>] => 1},
                                               'n@h', 99)),
    ?assertMatch({_, _}, binary:match(Page, <<"{\"children\":[],\"delta\":10,\"name\":\"a\",\"value\":30}">>)),
    ?assertMatch({_, _}, binary:match(Page, <<"{\"children\":[],\"delta\":10,\"name\":\"b\",\"value\":10}">>)),
    ?assertMatch({_, _}, binary:match(Page, <<"\"delta\":0,\"name\":\"all\",\"value\":40">>)).

%% Names in a file were cleaned, and are the same as those that were not.
cleaned_test() ->
    Odd = #{[<<"a">>, <<"m:'f;g'/1">>] => 2, [<<"a">>, <<"m:'f g'/1">>] => 3},
    ?assertEqual(#{[<<"a">>, <<"m:'f g'/1">>] => 5}, viv_see_stacks:cleaned(Odd)),
    ?assertEqual(viv_see_stacks:cleaned(Odd),
                 viv_see_stacks:from_folded(iolist_to_binary(viv_see_stacks:to_folded(Odd)))).

compared_as_cleaned_test() ->
    Odd = #{[<<"a">>, <<"m:'f;g'/1">>] => 7},
    Base = viv_see_stacks:from_folded(iolist_to_binary(viv_see_stacks:to_folded(Odd))),
    Page = iolist_to_binary(viv_see_flame:page(Odd, Base, node(), 99)),
    ?assertNotEqual(nomatch, binary:match(Page, <<"\"delta\":0">>)),
    ?assertEqual(nomatch, binary:match(Page, <<"\"delta\":7">>)).
