%% Terms and names of a node as text.
-module(viv_see_text_tests).
-include_lib("eunit/include/eunit.hrl").

name(Name) -> unicode:characters_to_binary(viv_see_text:name(Name)).

name_test_() ->
    [?_assertEqual(<<"shop">>, name(shop)),
     ?_assertEqual(<<"a name; \"of\" \\ its own">>, name('a name; "of" \\ its own')),
     ?_assertEqual(<<228/utf8, 16#20AC/utf8>>, name(list_to_atom([228, 16#20AC]))),
     ?_assertEqual(<<"\\e[2J\\nx\\t\\d\\000">>, name(<<"\e[2J\nx\t\d\0">>)),
     ?_assertEqual(<<"\\233x">>, name(list_to_atom([155, $x])))].

who(Name) ->
    Holder = #{kind => table, id => t, about => {t, self()}, share => 1, references => 1, largest => 1, objects => 1,
               owner_name => Name},
    unicode:characters_to_binary(viv_see_holders:one(Holder, node())).

holder_test() ->
    ?assertEqual(nomatch, binary:match(who('\e[2J'), <<"\e">>)),
    ?assertNotEqual(nomatch, binary:match(who('\e[2J'), <<"\\e[2J">>)).
