%% Of the level of compression the stock runtime looks at the low 32 bits of a small; here another number was refused.
-module(r_compression_levels).
-export([main/0]).

main() ->
    Term = lists:duplicate(100, a),
    Levels = [N + (K bsl 32) || K <- [-1, 0, 1, 2, 1 bsl 26, 1 bsl 27, 1 bsl 32], N <- [-1, 0, 1, 9, 10]] ++
                 [(1 bsl 31) + 1, 1 bsl 59, (1 bsl 59) - 1, 1.0, x],
    [io:format("~p: ~p~n", [Level, [seen(F, Term, [{compressed, Level}])
                                    || F <- [fun erlang:term_to_binary/2, fun erlang:term_to_iovec/2]]])
     || Level <- Levels].

seen(F, Term, Options) ->
    try binary_to_term(iolist_to_binary(F(Term, Options))) =:= Term andalso iolist_size(F(Term, Options))
    catch error:Reason -> Reason
    end.
