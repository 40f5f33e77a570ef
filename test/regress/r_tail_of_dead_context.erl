%% bs_get_tail may take the rest of a context that is not alive behind it, and may collect: erlc 25 counts the context as
%% alive, its validator does not ask for that.
-module(r_tail_of_dead_context).
-export([main/0]).

main() ->
    {ok, Beam} = assemble(),
    {module, tail} = code:load_binary(tail, "tail", Beam),
    Large = list_to_binary(lists:duplicate(100, $a)),
    [io:format("~w ~w: ~w~n", [Kind, N, erlang:phash2(in_small_heap(N, Make))])
     || {Kind, Make} <- [{same, fun(_) -> Large end}, {other, fun(I) -> list_to_binary([I | lists:duplicate(100, $b)]) end},
                         {small, fun(I) -> list_to_binary([I | lists:duplicate(40, $c)]) end}],
        N <- lists:seq(1, 60)].

in_small_heap(N, Make) ->
    {P, M} = spawn_opt(
        fun() ->
            Held = lists:seq(1, N),
            exit({[tail:t(Make(I), I) || I <- lists:seq(1, 200)], Held})
        end, [monitor, {min_heap_size, 10}]),
    receive {'DOWN', M, process, P, Made} -> Made end.

%% The first byte's rest, and the second argument.
assemble() ->
    Code = [{label, 1}, {line, []}, {func_info, {atom, tail}, {atom, t}, 2}, {label, 2},
            {test, bs_start_match3, {f, 1}, 2, [{x, 0}], {x, 4}},
            {test, bs_skip_bits2, {f, 1}, [{x, 4}, {integer, 8}, 1, {field_flags, [unsigned, big]}]},
            {bs_get_tail, {x, 4}, {x, 0}, 2}, {test_heap, 3, 2}, {put_tuple2, {x, 0}, {list, [{x, 0}, {x, 1}]}}, return],
    Module = {tail, [{t, 2}], [], [{function, t, 2, 2, Code}], 3},
    {ok, tail, Beam} = compile:forms(Module, [from_asm, binary, return_errors]),
    {ok, Beam}.
