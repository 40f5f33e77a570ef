-module(bif_atoms).
-export([main/0]).
-include("c.hrl").

main() ->
    Wide = list_to_atom([1024, 1025]),
    Atoms = [a, '', 'A b', '\xe9', Wide, list_to_atom(lists:duplicate(255, $x)), list_to_atom(lists:duplicate(255, 16#10ffff))],
    Others = ["a", <<"a">>, 1, []],
    each(erlang, atom_to_list, Atoms ++ Others),
    each(erlang, atom_to_binary, Atoms ++ Others),
    pairs(erlang, atom_to_binary, Atoms ++ Others, [latin1, utf8, unicode, utf16, 1]),
    Lists = ["", "abc", "A b", [16#e9], [1024], [16#10ffff], [16#110000], [16#d800], [16#dfff], [0], [-1], [a], [$a | b], a,
             lists:duplicate(255, $y), lists:duplicate(256, $y), lists:duplicate(256, -1), lists:duplicate(255, 1024),
             lists:duplicate(300, $y) ++ [bad], <<"abc">>, [$a, "b"]],
    each(erlang, list_to_atom, Lists),
    each(erlang, list_to_existing_atom, ["erlang", "there is no such atom, we hope"] ++ Lists),
    Binaries = [<<>>, <<"abc">>, <<255>>, <<"\x{e9}"/utf8>>, <<"\x{400}"/utf8>>, <<16#ed, 16#a0, 16#80>>, <<16#c0, 16#80>>, <<16#c3>>, <<0>>,
                binary:copy(<<"y">>, 255), binary:copy(<<"y">>, 256), binary:copy(<<"\x{e9}"/utf8>>, 255), binary:copy(<<"\x{e9}"/utf8>>, 256),
                binary:copy(<<255>>, 256), binary:copy(<<255>>, 1025), a, "abc", <<1:1>>, part(<<"xabcx">>)],
    pairs(erlang, binary_to_atom, Binaries, [utf8, latin1, unicode, foo, "utf8"]),
    pairs(erlang, binary_to_existing_atom, [<<"erlang">>, <<"no such atom, once more">> | Binaries], [utf8, latin1, unicode, foo]),
    each(erlang, binary_to_atom, Binaries),
    io:format("~w~n", [lists:sort([b, a, 'B', '', aa, ab, 'a b', Wide, '\xe9', '\xc9', z, abcd, abce, abcde, 'abc'])]).

part(<<_, P:3/binary, _>>) -> P.
