-module(r_fun_names).
-export([main/0]).

%% What funs are the same by, where they come from bytes that say any numbers: the index of new funs counts, the old one
%% does not. And fun_to_list/1 gives names as the bytes of their UTF-8.

main() ->
    Keys = [{M, U, I, Old, Uniq, Arity}
            || M <- [<<"ma">>, <<"mb">>], U <- [1, 2], I <- [0, 1], Old <- [0, 1], Uniq <- [5, 6], Arity <- [0, 1]],
    Funs = [made(K) || K <- Keys],
    io:format("~w~n", [[erlang:phash2(F) || F <- Funs]]),
    io:format("~w~n", [[erlang:phash2([F, {F}]) || F <- Funs]]),
    io:format("~w~n", [[erlang:phash(F, 1 bsl 32) || F <- Funs]]),
    io:format("~w~n", [[{A =:= B, A < B} || A <- Funs, B <- Funs]]),
    Large = maps:from_list([{I, I} || I <- lists:seq(1, 40)]),
    io:format("~w~n", [[maps:is_key(B, Large#{A => 1}) || A <- Funs, B <- Funs]]),
    io:format("~w~n", [[maps:is_key(B, #{A => 1}) || A <- Funs, B <- Funs]]),
    Table = ets:new(t, [set]),
    ets:insert(Table, [{F} || F <- Funs]),
    io:format("~w ~w~n", [ets:info(Table, size), [ets:member(Table, F) || F <- Funs]]),
    io:format("~w~n", [[{erlang:fun_to_list(F), erlang:fun_info(F, index), erlang:fun_info(F, new_index)} || F <- Funs]]),
    [io:format("~w~n~ts~n", [erlang:fun_to_list(F), io_lib:format("~p", [F])])
     || F <- [fun 'é':'Ä'/1, fun 'ÿ÷':'\x{400}\x{1f600}'/2, fun '\x{80}':'a b'/3, fun lists:map/2]].

made({M, U, I, Old, Uniq, Arity}) ->
    Body = <<Arity, U:128, I:32, 0:32, 119, (byte_size(M)), M/binary, 97, Old, 98, Uniq:32,
             88, 119, 13, "nonode@nohost", 1:32, 0:32, 0:32>>,
    binary_to_term(<<131, 112, (byte_size(Body) + 4):32, Body/binary>>).
