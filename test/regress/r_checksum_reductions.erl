%% A checksum of a binary sixteen times as large costs sixteen times as many reductions, not more.
-module(r_checksum_reductions).
-export([main/0]).

-define(MEGABYTE, (1 bsl 20)).

main() -> [io:format("~p: ~p~n", [F, reductions(F, 16) < 32 * reductions(F, 1)]) || F <- [md5, crc32, adler32]].

reductions(F, Megabytes) ->
    Bytes = binary:copy(<<"abcdefgh">>, Megabytes * ?MEGABYTE div 8),
    erlang:yield(),
    Before = reductions(),
    erlang:F(Bytes),
    reductions() - Before.

reductions() -> element(2, process_info(self(), reductions)).
