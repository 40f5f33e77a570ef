%% A segment may have more bits than an integer can have: what it holds is an integer if those beyond are its sign. Of
%% signed segments only zeros were taken for that, so that all ones were no -1.
-module(r_bits_beyond).
-export([main/0]).

main() ->
    [io:format("~p ~s: ~0p~n", [N, What, taken(N, Bits)])
     || N <- [33554368, 33554369, 33554433, 33554440], {What, Bits} <- segments(N)].

segments(N) ->
    [{"all ones", filled(1, N)},
     {"all zeros", filled(0, N)},
     {"ones, a word of zeros", <<(filled(1, N - 64))/bitstring, 0:64>>},
     {"zeros, a word of ones", <<(filled(0, N - 64))/bitstring, (-1):64>>},
     {"a word of zeros, ones", <<0:64, (filled(1, N - 64))/bitstring>>},
     {"a word of ones, zeros", <<(-1):64, (filled(0, N - 64))/bitstring>>},
     {"a zero, ones", <<0:1, (filled(1, N - 1))/bitstring>>},
     {"a one, zeros", <<1:1, (filled(0, N - 1))/bitstring>>},
     {"ones, a zero", <<(filled(1, N - 1))/bitstring, 0:1>>},
     {"zeros, a one", <<(filled(0, N - 1))/bitstring, 1:1>>}].

filled(Bit, N) ->
    <<Bits:N/bitstring, _/bitstring>> = binary:copy(<<(-Bit)>>, N div 8 + 1),
    Bits.

taken(N, Bits) ->
    [seen(fun() -> <<X:N/signed>> = Bits, X end), seen(fun() -> <<X:N>> = Bits, X end),
     seen(fun() -> <<X:N/signed-little>> = Bits, X end), seen(fun() -> <<X:N/little>> = Bits, X end)].

seen(F) ->
    try F() of
        X -> {X > 0, erts_debug:flat_size(X), erlang:phash2(X rem 1000003)}
    catch
        error:{badmatch, _} -> none
    end.
