%% Whatever the term is, a thread of a library's own may decode it, though it has done nothing else before.
-module(r_decode_in_thread).
-export([main/0, in_thread/1]).
-nifs([in_thread/1]).

in_thread(_) -> erlang:nif_error(undef).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    [io:format("~p: ~p~n", [Name, decoded(term_to_binary(T)) =:= T]) || {Name, T} <- terms()],
    io:format("of another node: ~p~n", [node(decoded(<<131, 88, 119, 3, "x@y", 7:32, 0:32, 7:32>>))]).

terms() ->
    X = make_ref(),
    [{'a function of a module', fun lists:map/2},
     {'one that is not there', fun lists:there_is_no_such_function/7},
     {'a fun', fun(Y) -> {X, Y} end},
     {'no variables', fun() -> ok end},
     {'a binary', {a, <<1:5000>>}},
     {'a counter', atomics:new(1, [])},
     {'a map', #{{a, b} => 1 bsl 100, self() => X}}].

decoded(Binary) ->
    0 = in_thread(Binary),
    receive Term -> Term end.
