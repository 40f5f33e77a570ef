%% References of other nodes may have no number at all: they are that with a zero. Those of this node have three or five,
%% and fewer are filled up. (On the stock runtime none with what was there before, so that is not asked for; nor is none in
%% the older form, whose first number is looked at there, be it one or not.)
-module(r_reference_numbers).
-export([main/0]).

main() ->
    [io:format("~p ~p ~p ~p: ~p~n", [Tag, Node, Creation, Count, result(form(Tag, Node, Creation, Count), Count)])
     || Tag <- [114, 90], Node <- [node(), 'a@b'], Creation <- [0, 7], Count <- lists:seq(0, 6),
        Count =/= 5 andalso Count =/= 0 orelse Node =/= node() orelse Creation =/= 0, Tag =/= 114 orelse Creation =:= 0 andalso Count > 0],
    io:format("~p~n", [equals()]).

form(Tag, Node, Creation, Count) ->
    <<131, Atom/binary>> = term_to_binary(Node),
    <<131, Tag, Count:16, Atom/binary, (creation(Tag, Creation))/binary, (numbers(Count))/binary>>.

creation(114, Creation) -> <<Creation>>;
creation(90, Creation) -> <<Creation:32>>.

numbers(Count) -> << <<N:32>> || N <- lists:seq(1, Count)>>.

result(Bytes, Count) ->
    try binary_to_term(Bytes) of
        Reference ->
            {numbers_of(Reference), node(Reference), term_to_binary(Reference), [erlang:phash2(Reference) || Count > 0],
             erts_debug:flat_size(Reference), erlang:external_size(Reference)}
    catch Class:Reason -> {Class, Reason}
    end.

%% But for the number of the node, which is one's own.
numbers_of(Reference) ->
    "#Ref<" ++ Rest = ref_to_list(Reference),
    tl(string:tokens(Rest, ".>")).

equals() ->
    None = binary_to_term(form(90, 'a@b', 7, 0)),
    Same = binary_to_term(form(90, 'a@b', 7, 0)),
    One = binary_to_term(form(90, 'a@b', 7, 1)),
    {None =:= Same, None < One}.
