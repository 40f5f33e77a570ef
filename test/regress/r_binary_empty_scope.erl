%% A pattern that is none fails where the scope of a search is empty, too; unless the scope ends at 0, where nobody looks.
-module(r_binary_empty_scope).
-export([main/0]).

main() ->
    [io:format("~p(~w, ~w, ~w): ~w~n", [F, Subject, Pattern, Scope, answer(F, Subject, Pattern, Scope)])
     || F <- [match, matches, split], Subject <- [<<"ddaadbcabdbc">>, <<>>],
        Pattern <- [foo, <<>>, [], [<<>>], <<1:3>>, [<<"a">> | x], [<<"a">>, <<1:3>>], {bm, x}, <<"d">>, [<<"d">>, <<"a">>]],
        Scope <- [{3, 0}, {0, 0}, {12, 0}, {3, -3}, {3, -2}, {0, 1}]],
    Compiled = binary:compile_pattern([<<"b">>, <<"c">>]),
    [io:format("compiled, ~p, ~w: ~w~n", [F, Scope, answer(F, <<"abc">>, Compiled, Scope)])
     || F <- [match, matches, split], Scope <- [{2, 0}, {0, 0}, {0, 3}]].

answer(F, Subject, Pattern, Scope) ->
    try binary:F(Subject, Pattern, [{scope, Scope}])
    catch error:Reason -> Reason
    end.
