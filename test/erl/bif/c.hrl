%% c(M, F, Args) prints the call and what it returns, or how it fails; calls(M, F, ListOfArgs) many of them.

-compile({nowarn_unused_function, [c/3, calls/3, each/3, pairs/4, short/1, info/1]}).

c(M, F, Args) ->
    Result =
        try apply(M, F, Args) of
            V -> short(V)
        catch
            C:R:S -> {failed, C, short(R), info(S)}
        end,
    io:format("~w:~w ~0tP -> ~0tp~n", [M, F, short(Args), 30, Result]).

calls(M, F, ListOfArgs) -> [c(M, F, Args) || Args <- ListOfArgs], ok.

%% One argument each.
each(M, F, Values) -> [c(M, F, [V]) || V <- Values], ok.

%% All pairs.
pairs(M, F, As, Bs) -> [c(M, F, [A, B]) || A <- As, B <- Bs], ok.

%% The failing function and its error_info.
info([{M, F, A, Info} | _]) when is_list(A) -> {M, F, length(A), [I || {error_info, _} = I <- Info]};
info([{M, F, A, Info} | _]) -> {M, F, A, [I || {error_info, _} = I <- Info]};
info(Other) -> Other.

%% What is long or huge, by its hash.
short(T) ->
    case erlang:external_size(T) of
        Size when Size > 400 -> {size_and_hash, Size, erlang:phash2(T)};
        _ -> T
    end.
