%% Calls of setelement/3 with a constant index, which have an instruction: in the middle of a function, with and without
%% a frame, and as its last call; at all sizes about its bounds, of what is no tuple, with no room, watched.
-module(insn_setelement).
-export([main/0, none/2, body/2, last/2, framed/2, one/2, far/2, farther/2, zero/2, two/2, deep/2, fill/2]).
-include("../t.hrl").

none(T, V) -> setelement(2, T, V).
body(T, V) -> N = setelement(2, T, V), {element(2, N), N, T}.
last(T, V) -> id(T), setelement(3, T, V).
framed(T, V) -> W = id(V), N = setelement(3, T, W), id({N, W}).
one(T, V) -> N = setelement(1, T, V), [N | T].
far(T, V) -> N = setelement(32, T, V), [N | T].
farther(T, V) -> N = setelement(33, T, V), [N | T].
zero(T, V) -> N = setelement(0, T, V), [N | T].
two(T, V) -> N = setelement(5, setelement(2, T, V), [V]), {N, T}.
deep(0, T) -> T;
deep(N, T) -> U = setelement(2, T, N), V = deep(N - 1, U), [U | V].
fill(T, 0) -> T;
fill(T, N) -> fill(setelement(4, setelement(2, T, [N]), {N, N}), N - 1).

main() ->
    Functions = [none, body, last, framed, one, far, farther, zero, two],
    Sizes = lists:seq(0, 8) ++ lists:seq(29, 36) ++ lists:seq(60, 70) ++ [255, 256, 257, 5000],
    [t({F, Size}, fun() -> shown(?MODULE:F(id(list_to_tuple(lists:seq(1, Size))), "v")) end) || F <- Functions, Size <- Sizes],
    [t({F, Other}, fun() -> ?MODULE:F(id(Other), v) end)
     || F <- Functions, Other <- [a, 1, -1, 1.5, 1 bsl 70, [], [1, 2], "abc", <<1, 2, 3>>, <<1:3>>, #{a => 1, b => 2}, fun erlang:self/0]],
    t(literal, fun() -> [none({1, 2, 3}, x), body({1, 2, 3, "abc"}, y), two({a, b, c, d, e, f}, z)] end),
    t(deep, fun() -> erlang:phash2(deep(3000, {a, b, c})) end),
    t(fill, fun() -> fill({a, b, c, d, e, f, g}, 30000) end),
    [t({fill, Heap}, fun() -> small(Heap, fun() -> fill(list_to_tuple(lists:seq(1, 31)), 2000) end) end)
     || Heap <- lists:seq(1, 400, 13)],
    t(saved_calls, fun() -> saved(fun() -> body({1, 2, 3}, x), last({1, 2, 3}, y), framed({1, 2, 3}, z) end) end),
    t(traced, fun() -> traced(fun() -> [none({1, 2}, x), body({1, 2}, y), last({1, 2, 3}, z), catch body({}, x)] end) end).

%% 5000 elements are not printed.
shown(R) -> {erlang:phash2(R), erts_debug:flat_size(R), top_of(R)}.

top_of(T) when is_tuple(T), tuple_size(T) > 40 -> {tuple_size(T), element(2, T), element(33, T)};
top_of([H | T]) -> [top_of(H) | top_of(T)];
top_of(T) when is_tuple(T), tuple_size(T) =< 3 -> list_to_tuple([top_of(E) || E <- tuple_to_list(T)]);
top_of(T) -> T.

small(Heap, F) ->
    {P, M} = spawn_opt(fun() -> exit({made, F()}) end, [monitor, {min_heap_size, Heap}]),
    receive {'DOWN', M, process, P, {made, R}} -> R end.

saved(F) ->
    {P, M} = spawn_monitor(
        fun() ->
            process_flag(save_calls, 100),
            R = F(),
            {last_calls, Calls} = process_info(self(), last_calls),
            exit({R, [C || {_, setelement, _} = C <- Calls]})
        end),
    receive {'DOWN', M, process, P, R} -> R end.

traced(F) ->
    Tracer = spawn(fun() -> told([]) end),
    1 = erlang:trace_pattern({erlang, setelement, 3}, [{'_', [], [{return_trace}, {message, {caller}}]}], []),
    {P, M} = spawn_monitor(
        fun() ->
            1 = erlang:trace(self(), true, [call, {tracer, Tracer}]),
            R = F(),
            erlang:trace(self(), false, [call]),
            exit(R)
        end),
    R = receive {'DOWN', M, process, P, Value} -> Value end,
    D = erlang:trace_delivered(P),
    receive {trace_delivered, P, D} -> ok end,
    1 = erlang:trace_pattern({erlang, setelement, 3}, false, []),
    Tracer ! {all, self()},
    receive {told, Told} -> {[without_lines(E) || E <- R], Told} end.

without_lines({'EXIT', {R, [{M, F, A, _} | _]}}) -> {'EXIT', R, {M, F, A}};
without_lines(R) -> R.

told(Told) ->
    receive
        {all, To} -> To ! {told, lists:reverse(Told)};
        Event -> told([setelement(2, Event, pid) | Told])
    end.
