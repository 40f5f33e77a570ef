%% Operands that do not fit 16, 32 or 64 bits: whatever stock loads is loaded, and runs the same.
-module(r_large_operands).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    [io:format("element ~w of ~w: ~w~n", [N, Size, run(element_code(N, Size), list_to_tuple(lists:seq(1, Size)))])
     || {N, Size} <- [{8190, 8191}, {8191, 8192}, {8192, 8192}, {65536, 65536}, {100000, 100001}]],
    [io:format("two elements ~w: ~w~n", [Ns, run(elements_code(Ns), list_to_tuple(lists:seq(1, 20000)))])
     || Ns <- [[8189, 8190], [8190, 8192], [1, 8193], [9000, 2], [3, 4, 19999], [17000, 1, 20000]]],
    [io:format("tuple of ~w: ~w~n", [N, erlang:phash2(run(tuple_code(N), a))]) || N <- [8191, 65535, 65536]],
    [io:format("set ~w: ~w~n", [N, erlang:phash2(run(set_code(N), list_to_tuple(lists:seq(1, 70000))))])
     || N <- [8190, 8191, 8192, 70000]],
    [io:format("map ~w of ~w: ~w~n", [Op, N, map_result(Op, N)])
     || Op <- [put_map_assoc, put_map_exact, has_map_fields], N <- [100, 32767, 32768]],
    [io:format("tail of ~w bits: ~w ~w~n", [N, run(tail_code(N), <<0:4097>>), run(tail_code(N), <<0:8>>)])
     || N <- [8, 4097, (1 bsl 32) + 8, (1 bsl 60) + 8 | beyond()]],
    [io:format("skip ~w: ~w~n", [N, run(skip_code(N), <<1:16>>)])
     || N <- [8, (1 bsl 32) + 8 | beyond()]],
    [io:format("room for ~w bits: ~w~n", [N, run(init_code(N), 1)])
     || N <- [8, 1 bsl 63, 1 bsl 64, 1 bsl 100]], % stock ends for want of memory with less
    [io:format("~w segments: ~w~n", [N, erlang:phash2(run(segments_code(N), 5))]) || N <- [10, 65535, 65536]],
    lines().

beyond() -> [1 bsl N || N <- [31, 32, 59, 60, 61, 63, 64, 100]].

run(Code, Argument) ->
    case assemble(Code) of
        {ok, Beam} ->
            true = code:delete(large) orelse true,
            code:purge(large),
            case code:load_binary(large, "large", Beam) of
                {module, large} -> try large:f(Argument) catch Class:Reason -> {Class, Reason} end;
                Error -> Error
            end;
        Error -> Error
    end.

assemble(Code) ->
    Body = [{label, 1}, {line, []}, {func_info, {atom, large}, {atom, f}, 1}, {label, 2}] ++ Code,
    case compile:forms({large, [{f, 1}], [], [{function, f, 1, 2, Body}], 4}, [from_asm, binary, return_errors]) of
        {ok, large, Beam} -> {ok, Beam};
        Error -> Error
    end.

x(N) -> {x, N}.
failed() -> [{label, 3}, {move, {atom, no}, x(0)}, return].

element_code(N, Size) ->
    [{test, is_tuple, {f, 3}, [x(0)]}, {test, test_arity, {f, 3}, [x(0), Size]},
     {get_tuple_element, x(0), N - 1, x(1)}, {move, x(1), x(0)}, return | failed()].

elements_code(Ns) ->
    To = lists:seq(1, length(Ns)),
    [{test, is_tuple, {f, 3}, [x(0)]}, {test, test_arity, {f, 3}, [x(0), 20000]}] ++
        [{get_tuple_element, x(0), N - 1, x(I)} || {N, I} <- lists:zip(Ns, To)] ++
        [{test_heap, length(Ns) + 1, length(Ns) + 1}, {put_tuple2, x(0), {list, [x(I) || I <- To]}}, return | failed()].

tuple_code(N) ->
    [{test_heap, N + 1, 1}, {put_tuple2, x(0), {list, [x(0) | [{integer, I} || I <- lists:seq(2, N)]]}}, return
     | failed()].

set_code(N) ->
    [{allocate, 0, 1}, {move, {atom, new}, x(2)}, {move, x(0), x(1)}, {move, {integer, 1}, x(0)},
     {call_ext, 3, {extfunc, erlang, setelement, 3}}, {set_tuple_element, {atom, set}, x(0), N - 1}, {deallocate, 0},
     return | failed()].

map_result(Op, N) -> erlang:phash2(run(map_code(Op, N), maps:from_keys(lists:seq(1, N), old))).

map_code(has_map_fields, N) ->
    [{test, is_map, {f, 3}, [x(0)]},
     {test, has_map_fields, {f, 3}, x(0), {list, [{integer, I} || I <- lists:seq(1, N)]}}, return | failed()];
map_code(Op, N) ->
    [{test, is_map, {f, 3}, [x(0)]},
     {Op, {f, 0}, x(0), x(0), 1, {list, lists:append([[{integer, I}, {atom, new}] || I <- lists:seq(1, N)])}}, return
     | failed()].

context() -> {test, bs_start_match3, {f, 3}, 1, [x(0)], x(1)}.

tail_code(N) -> [context(), {test, bs_test_tail2, {f, 3}, [x(1), N]}, {move, {atom, yes}, x(0)}, return | failed()].

skip_code(N) ->
    [context(), {test, bs_skip_bits2, {f, 3}, [x(1), {integer, N}, 1, {field_flags, []}]}, {bs_get_tail, x(1), x(0), 2},
     return | failed()].

init_code(N) ->
    [{bs_init_bits, {f, 0}, N, 0, 1, {field_flags, []}, x(1)}] ++
        [{bs_put_integer, {f, 0}, {integer, N}, 1, {field_flags, [unsigned, big]}, x(0)} || N =:= 8] ++
        [{move, x(1), x(0)}, return | failed()].

segments_code(N) ->
    Segments = lists:append([[{atom, integer}, I, 1, nil, x(0), {integer, 8}] || I <- lists:seq(1, N)]),
    [{bs_create_bin, {f, 0}, 0, 1, 1, x(1), {list, Segments}}, {move, x(1), x(0)}, return | failed()].

%% Line numbers that stock cannot pack show no place, and only 32 bits of them count.
lines() ->
    [io:format("line ~w: ~w~n", [N, line(N)])
     || N <- [16777211, 16777214, 16777215, 16777216, 100000000, 1 bsl 31, (1 bsl 33) - 1, (1 bsl 59) - 1, 1 bsl 59,
              1 bsl 64]].

line(N) ->
    Sum = {op, N, '+', {var, N, 'X'}, {integer, N, 1}},
    Forms = [{attribute, 1, module, large}, {attribute, 1, export, [{f, 1}]}, {attribute, 1, file, {"x", 1}},
             {function, N, f, 1, [{clause, N, [{var, N, 'X'}], [], [{tuple, N, [Sum]}]}]}],
    {ok, large, Beam} = compile:forms(Forms, []),
    true = code:delete(large) orelse true,
    code:purge(large),
    case code:load_binary(large, "large", Beam) of
        {module, large} -> try large:f(a) catch _:_:S -> [L || {large, _, _, L} <- S] end;
        Error -> Error
    end.
