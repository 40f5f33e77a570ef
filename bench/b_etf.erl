%% The external term format.
-module(b_etf).
-export([group/0, benchmarks/0]).

group() -> etf.

benchmarks() ->
    Terms = [{N, integer_to_binary(N), [atom, "text", 1.5 * N], #{key => N, other => {a, b}}}
             || N <- lists:seq(1, 3000)],
    Numbers = lists:seq(1, 50000),
    Blob = binary:copy(<<"0123456789">>, 50000),
    Coded = term_to_binary(Terms),
    [{"etf: encode terms", fun() -> times(10, fun() -> term_to_binary(Terms) end) end},
     {"etf: decode terms", fun() -> times(8, fun() -> binary_to_term(Coded) end) end},
     {"etf: encode integers", fun() -> times(20, fun() -> term_to_binary(Numbers) end) end},
     {"etf: encode a binary", fun() -> times(200, fun() -> term_to_binary(Blob) end) end},
     {"etf: external_size", fun() -> times(20, fun() -> erlang:external_size(Terms) end) end},
     {"etf: compressed", fun() -> times(1, fun() -> binary_to_term(term_to_binary(Terms, [compressed])) end) end},
     {"etf: phash2", fun() -> times(15, fun() -> erlang:phash2(Terms) end) end}].

times(0, _) -> ok;
times(N, Fun) -> Fun(), times(N - 1, Fun).
