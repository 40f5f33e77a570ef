%% Calls of native functions, plain and dirty, and what they build.
-module(b_natives).
-export([group/0, benchmarks/0]).
-on_load(load/0).

load() -> erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), "b_natives"), 0).

id(_) -> erlang:nif_error(not_loaded).
add(_, _) -> erlang:nif_error(not_loaded).
list(_) -> erlang:nif_error(not_loaded).
bytes(_) -> erlang:nif_error(not_loaded).
go_on(_) -> erlang:nif_error(not_loaded).
dirty(_) -> erlang:nif_error(not_loaded).

group() -> native.

benchmarks() ->
    Binary = binary:copy(<<1, 2, 3>>, 20),
    [{"natives: call", fun() -> repeat(1000000) end},
     {"natives: integers", fun() -> sum(1000000, 0) end},
     {"natives: build lists", fun() -> lists_of(2000) end},
     {"natives: small binaries", fun() -> binaries(200000, Binary) end},
     {"natives: go on later", fun() -> later(200000) end},
     {"natives: dirty call", fun() -> dirty_calls(5000) end}].

repeat(0) -> ok;
repeat(N) -> id(N), repeat(N - 1).

sum(0, S) -> S;
sum(N, S) -> sum(N - 1, add(S, N)).

lists_of(0) -> ok;
lists_of(N) -> _ = list(100), lists_of(N - 1).

binaries(0, _) -> ok;
binaries(N, B) -> binaries(N - 1, bytes(B)).

later(0) -> ok;
later(N) -> go_on(N), later(N - 1).

dirty_calls(0) -> ok;
dirty_calls(N) -> dirty(N), dirty_calls(N - 1).
