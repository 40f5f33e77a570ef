-module(r_etf_deep).
-export([main/0]).

%% Terms that are deep, on either side and on both, are written and read over many time slices, while what is still to
%% be written moves as heaps are collected: the bytes are stock's, and the terms come back.

-define(LEVELS, 30000).

main() ->
    Bin = binary:copy(<<"some bytes, ">>, 10),
    [one(Name, nest(F, ?LEVELS, x))
     || {Name, F} <- [{left, fun(T, _) -> {T, a} end},
                      {right, fun(T, _) -> {a, T} end},
                      {both, fun(T, N) when N rem 3 =:= 0 -> {T}; (T, N) -> {N, T, [N | N]} end},
                      {alone, fun(T, _) -> {T} end},
                      {lists, fun(T, _) -> [T] end},
                      {heads, fun(T, N) -> [T, N | b] end},
                      {tails, fun(T, N) -> [N | T] end},
                      {maps, fun(T, N) -> #{N => T} end},
                      {keys, fun(T, N) when N rem 2000 =:= 0 -> #{T => N}; (T, N) -> #{N => T, a => b} end},
                      {large_maps, fun(T, N) when N rem 1000 =:= 0 -> (large(N))#{N => T}; (T, N) -> [N, T] end},
                      {funs, fun(T, _) -> fun() -> T end end},
                      {binaries, fun(T, N) -> {Bin, T, N, Bin} end}]].

nest(_, 0, T) -> T;
nest(F, N, T) -> nest(F, N - 1, F(T, N)).

large(N) -> maps:from_list([{K, N} || K <- lists:seq(1, 50)]).

one(Name, T) ->
    B = term_to_binary(T),
    Size = erlang:external_size(T),
    Sum = case Name of funs -> who_made_them_differs; _ -> erlang:crc32(B) end,
    io:format("~w ~w ~w ~w ~w~n",
              [Name, byte_size(B), Sum, Size - byte_size(B), binary_to_term(B) =:= T]),
    io:format("~w in pieces ~w~n", [Name, iolist_to_binary(term_to_iovec(T)) =:= B]).
