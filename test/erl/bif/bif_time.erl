-module(bif_time).
-export([main/0]).
-include("c.hrl").

%% What the values are differs; that they are integers, in order and of the right size does not.
main() ->
    Units = [second, millisecond, microsecond, nanosecond, native, perf_counter, seconds, milli_seconds, micro_seconds, nano_seconds,
             1, 3, 10, 1000, 1000000, 1 bsl 59, 1 bsl 70, 0, -1, a, 1.0, []],
    [io:format("~w ~w ~0p~n", [{M, F}, U, form(M, F, [U])]) || {M, F} <- [{erlang, monotonic_time}, {erlang, system_time}, {os, system_time}], U <- Units],
    [io:format("~w ~0p~n", [U, is_tuple(form(erlang, time_offset, [U]))]) || U <- Units],
    Offset = erlang:time_offset(),
    io:format("~w~n", [[abs(erlang:system_time() - erlang:monotonic_time() - Offset) < 1000000000, erlang:monotonic_time() < 0,
                        ordered(fun erlang:monotonic_time/0), erts_internal:time_unit(),
                        erlang:convert_time_unit(1, second, native), erlang:convert_time_unit(-1500, millisecond, second)]]),
    Now = fun() -> {A, B, C} = erlang:now(), (A * 1000000 + B) * 1000000 + C end,
    io:format("~w~n", [[strictly(Now), tuple_size(erlang:timestamp()), tuple_size(os:timestamp()), abs(Now() div 1000000 - os:system_time(second)) < 3]]),
    U = fun(O) -> fun() -> erlang:unique_integer(O) end end,
    io:format("~w~n", [[strictly(U([monotonic])), strictly(U([monotonic, positive])), different(U([])), different(U([positive])), different(fun erlang:make_ref/0),
                        erlang:unique_integer([positive]) > 0, erlang:unique_integer([monotonic, positive]) > 0]]),
    each(erlang, unique_integer, [foo, [foo], [positive | x], [a, monotonic]]),
    dictionary().

form(M, F, Args) ->
    try apply(M, F, Args) of
        T when is_integer(T) -> {integer, length(integer_to_list(abs(T)))}
    catch C:R:S -> {C, R, info(S)}
    end.

ordered(F) -> L = [F() || _ <- lists:seq(1, 1000)], L =:= lists:sort(L).
strictly(F) -> L = [F() || _ <- lists:seq(1, 1000)], L =:= lists:usort(L).
different(F) -> length(lists:usort([F() || _ <- lists:seq(1, 1000)])).

dictionary() ->
    erase(),
    [c(erlang, F, As) || {F, As} <- [{get, []}, {get, [a]}, {put, [a, 1]}, {put, [a, 2]}, {put, ["k", [x]]}, {put, [1, i]}, {put, [1.0, f]}, {get, [1]}, {get, [1.0]},
        {get, ["k"]}, {get_keys, [2]}, {get_keys, [nothing]}, {erase, [a]}, {erase, [a]}, {get, [a]}]],
    io:format("~w ~w~n", [lists:sort(get()), lists:sort([{is_float(K), K} || K <- get_keys()])]),
    [put({n, I}, I * I) || I <- lists:seq(1, 2000)],
    [erase({n, I}) || I <- lists:seq(1, 2000, 3)],
    io:format("~w ~w~n", [length(get()), lists:sum([get({n, I}) || I <- lists:seq(1, 2000), I rem 3 =/= 1])]),
    io:format("~w ~w ~w~n", [length(erase()), get(), erase()]).
