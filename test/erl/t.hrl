%% The shape of every program here: t(Name, Fun) prints one line with what Fun returns, or how it fails and where.
%% Lines of stack traces stay in, so that the programs also compare line numbers.

-compile({nowarn_unused_function, [t/2, id/1]}).

t(Name, Fun) ->
    Result =
        try Fun() of
            V -> V
        catch
            C:R:S -> {failed, C, R, [top(E) || E <- lists:sublist(S, 2)]}
        end,
    io:format("~0tp: ~0tp~n", [Name, Result]).

top({M, F, A, Info}) when is_list(A) -> {M, F, A, [I || {K, _} = I <- Info, K =:= line orelse K =:= error_info]};
top({M, F, A, Info}) -> {M, F, A, [I || {K, _} = I <- Info, K =:= line orelse K =:= error_info]};
top(Other) -> Other.

%% Hides a value from the compiler.
id(X) -> put('$id', X), erase('$id').
