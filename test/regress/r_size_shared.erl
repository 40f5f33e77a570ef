%% Words of terms that share, as the stock runtime counts them: floats, {} and small maps are other words here.
-module(r_size_shared).
-export([main/0]).

main() ->
    [io:format("~p: ~p~n", [T, erts_debug:size_shared(built(T))])
     || T <- [{}, [], 1.5, [{}], {{}}, {{}, {}}, {1.5}, [1.5 | 2.5], {1.0e300}, #{}, [#{}], #{a => 1}, #{a => {}}, #{1.5 => {}},
                <<>>, [<<"abc">>], 1 bsl 80]],
    [io:format("shared ~p: ~p~n", [T, erts_debug:size_shared(twice(built(T)))])
     || T <- [{}, {1.5}, #{}, #{a => 1}, [x], {[y]}]].

twice(T) -> {T, [T | T]}.
built(T) -> binary_to_term(term_to_binary(T)).
