%% Binaries through the native interface.
-module(nif_binaries).
-export([main/0]).
-nifs([inspect/1, inspect_iolist/1, resized/3, resize_inspected/2, twice/1, new_binary/1, sub_binary/3, sub_of_sub/1,
       through_env/2, inspect_in_env/1, many/1]).
-include("n.hrl").

main() ->
    ok = erlang:load_nif(library("nif_binaries"), 0),
    Big = list_to_binary(lists:seq(0, 255)),
    <<_:3, Unaligned:20/binary, _/bits>> = Big,
    <<_:5, Long:200/binary, _/bits>> = Big,
    Binaries = [<<>>, <<"a">>, <<1:3>>, <<"abc", 1:1>>, Big, binary:part(Big, 10, 20), Unaligned, Long],
    check(inspect, fun inspect/1, [[B] || B <- Binaries ++ [abc, "abc", [<<"a">>]]]),
    check(inspect_iolist, fun inspect_iolist/1,
          [[L] || L <- Binaries ++ [[], "abc", ["a", [<<"bc">>, [[]]] | <<"d">>], [256], [-1], [a], abc, [1 | 2], [[[1]]],
                                    lists:duplicate(100, Big), [<<1:1>>], [Unaligned, Big]]]),
    check(resized, fun resized/3, [[F, T, M] || F <- [0, 10, 64, 65, 300], T <- [0, 5, 64, 100, 5000], M <- [0, 1]]),
    check(resize_inspected, fun resize_inspected/2, [[B, S] || B <- [<<>>, <<"abcdef">>, Big, Unaligned], S <- [0, 3, 300]]),
    check(twice, fun twice/1, [[0], [10], [70], [1000]]),
    check(new_binary, fun new_binary/1, [[N] || N <- [0, 1, 64, 65, 100, 5000]]),
    check(sub_binary, fun sub_binary/3,
          [[B, P, S] || B <- [<<"abcdefgh">>, Big, Unaligned], {P, S} <- [{0, 0}, {0, 8}, {3, 2}, {8, 0}]]),
    check(sub_of_sub, fun sub_of_sub/1, [[<<"abcdefghijklm">>], [Big], [Unaligned], [Long]]),
    check(through_env, fun through_env/2, [[N, B] || N <- [0, 3, 64, 65, 1000], B <- [<<>>, Big, Unaligned]]),
    check(inspect_in_env, fun inspect_in_env/1, [[L] || L <- Binaries ++ [["a", [Big]], [a]]]),
    t(many, fun() -> L = many(3000), erlang:garbage_collect(), {length(L), erlang:phash2(L)} end),
    t(shared, fun() ->
                  B = new_binary(5000),
                  Part = sub_binary(B, 10, 4000),
                  {binary:referenced_byte_size(B), binary:referenced_byte_size(Part), Part =:= binary:part(B, 10, 4000)}
              end),
    t(sent, fun() ->
                Self = self(),
                spawn(fun() -> Self ! {self(), many(100), twice(500), sub_of_sub(Big)} end),
                receive {_, L, T, S} -> erlang:phash2({L, T, S}) end
            end).

inspect(_) -> erlang:nif_error(not_loaded).
inspect_iolist(_) -> erlang:nif_error(not_loaded).
resized(_, _, _) -> erlang:nif_error(not_loaded).
resize_inspected(_, _) -> erlang:nif_error(not_loaded).
twice(_) -> erlang:nif_error(not_loaded).
new_binary(_) -> erlang:nif_error(not_loaded).
sub_binary(_, _, _) -> erlang:nif_error(not_loaded).
sub_of_sub(_) -> erlang:nif_error(not_loaded).
through_env(_, _) -> erlang:nif_error(not_loaded).
inspect_in_env(_) -> erlang:nif_error(not_loaded).
many(_) -> erlang:nif_error(not_loaded).
