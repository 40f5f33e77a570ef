%% p(Name, Value) prints; pids and references are replaced by their order of appearance, so that runs can be compared.
-include("../quiet.hrl").
-compile({nowarn_unused_function, [p/2, f/2, flush/0, flush/1, rest/1, eventually/1, eventually/2, same/1, known/2]}).

p(Name, Value) -> io:format("~w: ~0p~n", [Name, same(Value)]).

%% How a call ends.
f(Name, Fun) ->
    Result =
        try Fun() of
            V -> {value, V}
        catch
            C:R:S ->
                [{M, F, A, I} | _] = S,
                {C, R, M, F, if is_list(A) -> length(A); true -> A end, [E || {error_info, _} = E <- I]}
        end,
    p(Name, Result).

same(T) when is_pid(T) -> known(pid, T);
same(T) when is_reference(T) -> known(ref, T);
same([H | T]) -> [same(H) | same(T)];
same(T) when is_tuple(T) -> list_to_tuple(same(tuple_to_list(T)));
same(T) when is_map(T) -> maps:map(fun(_, V) -> same(V) end, T);
same(T) when is_function(T) -> a_fun;
same(T) -> T.

known(Kind, T) ->
    case get({known, T}) of
        undefined ->
            N = case get({count, Kind}) of undefined -> 1; Last -> Last + 1 end,
            put({count, Kind}, N),
            put({known, T}, {Kind, N}),
            {Kind, N};
        Name -> Name
    end.

flush() -> flush(100).
flush(Time) -> quiet(), rest(Time).
rest(Time) -> receive M -> [M | rest(Time)] after Time -> [] end.

eventually(Fun) -> eventually(Fun, 6000).
eventually(_, 0) -> never;
eventually(Fun, N) ->
    case Fun() of
        true -> ok;
        _ -> receive after 10 -> eventually(Fun, N - 1) end
    end.
