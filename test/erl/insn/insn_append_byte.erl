%% A binary and a byte behind it: in place where there is room, and everywhere where it must not be.
-module(insn_append_byte).
-export([main/0]).
-include("../t.hrl").

put_byte(B, V) -> <<B/binary, V>>.
put_bits(B, V) -> <<B/bits, V>>.
put_little(B, V) -> <<B/binary, V:8/little-signed>>.
put_unit(B, V) -> <<B/binary, V:1/unit:8>>.

put_odd(B, V) -> <<B/binary-unit:3, V>>.
put_wide(B, V) -> <<B/binary-unit:16, V>>.

grow(0, B) -> B;
grow(N, B) -> grow(N - 1, <<B/binary, N>>).

%% Both sides of a fork grow from the same binary by turns.
fork(0, A, B) -> {A, B};
fork(N, A, B) -> fork(N - 1, <<A/binary, N>>, <<B/binary, (N + 1)>>).

%% Older versions of a binary stay what they are.
versions(0, _, Made) -> Made;
versions(N, B, Made) -> versions(N - 1, <<B/binary, N>>, [{N, B} | Made]).

mixed(0, B) -> B;
mixed(N, B) when N rem 3 =:= 0 -> mixed(N - 1, <<B/bits, 1:1>>);
mixed(N, B) -> mixed(N - 1, <<B/bits, N>>).

to(Pid, B) ->
    Pid ! {self(), B},
    receive {Pid, Longer} -> Longer end.

other() ->
    receive {From, B} -> From ! {self(), <<B/binary, 77>>}, other() end.

main() ->
    t(empty, fun() -> put_byte(id(<<>>), 1) end),
    t(sizes, fun() -> [byte_size(grow(N, <<>>)) || N <- [0, 1, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000]] end),
    t(bytes, fun() -> erlang:phash2(grow(20000, <<>>)) end),
    t(low_bits, fun() -> [put_byte(grow(3, <<>>), V) || V <- [0, 255, 256, -1, -129, 1 bsl 59, -(1 bsl 59), 1 bsl 70, -(1 bsl 70)]] end),
    t(kinds, fun() -> [F(grow(3, <<>>), 250) || F <- [fun put_byte/2, fun put_bits/2, fun put_little/2, fun put_unit/2]] end),
    t(units, fun() -> [try byte_size(F(grow(N, <<>>), 250)) catch error:E -> E end || F <- [fun put_odd/2, fun put_wide/2], N <- [300, 301, 302]] end),
    t(no_integer, fun() -> put_byte(grow(3, <<>>), id(a)) end),
    t(float, fun() -> put_byte(grow(3, <<>>), id(1.0)) end),
    t(no_binary, fun() -> put_byte(id(a), 1) end),
    t(ragged, fun() -> put_byte(id(<<1:3>>), 1) end),
    t(ragged_allowed, fun() -> put_bits(id(<<1:3>>), 1) end),
    t(ragged_then_whole, fun() -> put_byte(put_bits(put_bits(grow(2, <<>>), 7), 9), 5) end),
    t(ragged_window, fun() -> <<_:3, R/bits>> = grow(100, <<>>), put_byte(R, 1) end),
    t(shifted_window, fun() -> <<_:3, R:800/bits, _/bits>> = grow(102, <<>>), put_byte(R, 1) end),
    t(window_at_end, fun() -> A = grow(100, <<>>), <<_, R/binary>> = A, {put_byte(R, 1), put_byte(A, 2), put_byte(R, 3)} end),
    t(mixed, fun() -> [erlang:phash2(mixed(N, <<>>)) || N <- lists:seq(1, 60)] end),
    t(fork, fun() -> Start = grow(100, <<>>), {A, B} = fork(300, Start, Start), {erlang:phash2(A), erlang:phash2(B), erlang:phash2(Start)} end),
    t(versions, fun() -> erlang:phash2(versions(1000, <<>>, [])) end),
    t(twice, fun() -> A = grow(100, <<>>), [binary:last(put_byte(A, V)) || V <- [1, 2, 3]] ++ [binary:last(A), byte_size(A)] end),
    t(same, fun() -> A = grow(100, <<>>), <<A/binary, A/binary>> =:= <<(put_byte(A, 1)):100/binary, A/binary>> end),
    t(sent, fun() -> P = spawn(fun other/0), A = grow(300, <<>>), B = to(P, A), C = to(P, put_byte(A, 1)),
                     [erlang:phash2(X) || X <- [A, B, C, put_byte(A, 2), put_byte(B, 3)]] end),
    t(collected, fun() -> A = grow(300, <<>>), erlang:garbage_collect(), B = put_byte(A, 1), erlang:garbage_collect(),
                          C = put_byte(B, 2), D = put_byte(A, 3), erlang:phash2([A, B, C, D]) end),
    t(comprehension, fun() -> << <<(B bxor 85)>> || <<B>> <= grow(1000, <<>>) >> =:=
                                  list_to_binary([B bxor 85 || <<B>> <= grow(1000, <<>>)]) end),
    t(comprehension_wide, fun() -> << <<B>> || B <- [1, 300, -1, 1 bsl 80] >> end),
    t(comprehension_bad, fun() -> << <<B>> || B <- id([1, a]) >> end),
    t(in_guard_position, fun() -> case catch put_byte(id([]), 1) of {'EXIT', {badarg, _}} -> badarg end end),
    t(matched_meanwhile, fun() -> A = grow(200, <<>>), <<_, R/binary>> = A, B = put_byte(A, 9), <<X, _/binary>> = R,
                                  {X, byte_size(R), binary:last(B)} end).
