%% What is wrong with the keys of a map whose values are constant is told twice; a const that is none is not constant.
-module(r_spec_errors_twice).
-export([main/0]).

main() ->
    [io:format("~p: ~p~n", [Body, erlang:match_spec_test([a], [{'_', [], [Body]}], trace)])
     || Body <- [#{'$3' => Value} || Value <- [1, {const, a}, {const}, {const, a, b}, {{a}}, {{'$1'}}, {}, {self}, '$7',
                                               [{const}], [{const, 1}], {{{const}}}, #{1 => {const}}]]].
