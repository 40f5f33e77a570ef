%% Shapes of large modules that are assembled, with operands that a compiler seldom or never writes:
%% {What it is called, File, Calls}.
-module(modules_asm).
-export([shapes/0, shape/1]).
-import(modules_draw, [r/1, one/1, some/2, near/1]).

shapes() -> [operands, operands, operands, operands, operands, operands, operands, operands, tuples, choices, arities, registers, frames, moves, far_labels,
             segments, string, maps, integers, label_numbers, rooms, functions, literals, lines, floats, free_variables].

shape(Shape) -> shape(Shape, 20).

%% Some operands cannot be written.
shape(Shape, Tries) ->
    {Functions, Calls} = functions(Shape),
    try {told(Shape, Functions), assembled(Functions), Calls} catch error:_ when Tries > 0 -> shape(Shape, Tries - 1) end.

told(operands, [{f, 1, [return, Odd | _]}]) -> Odd;
told(Shape, _) -> Shape.

%% Labels 1 and 2 are of f, those of others follow; 3 to 9 are in f.
assembled(Functions) -> assembled(Functions, 10 + 2 * length(Functions)).

assembled([{large, Labels, Functions}], _) -> assembled(Functions, Labels);
assembled(Functions, Labels) ->
    Numbered = lists:zip(Functions, [1 | lists:seq(10, 6 + 2 * length(Functions), 2)]),
    Code = [{function, F, A, L + 1, [{label, L}, {func_info, {atom, large}, {atom, F}, A}, {label, L + 1} | Body]}
            || {{F, A, Body}, L} <- Numbered],
    Exports = [{F, A} || {F, A, _} <- Functions],
    {ok, File} = beam_asm:module({large, Exports, [], Code, Labels}, [], [], [no_spawn_compiler_process]),
    File.

x(N) -> {x, N}.
y(N) -> {y, N}.
seq(N) -> lists:seq(1, N).
no() -> [{label, 3}, {move, {atom, no}, x(0)}, return].

%% One odd instruction where it never runs: what the loader says counts.
functions(operands) ->
    {[{f, 1, [return, odd(), return | no()]}], [{f, [1]}]};
functions(tuples) ->
    N = near([8, 10, 12, 13, 16, 17]),
    Ks = some(1 + r(5), fun() -> one([r(N), N - 1 - r(min(N, 4)), min(N - 1, 8190 + r(4))]) end),
    Sequence = list_to_tuple(seq(N)),
    Get = [{test, is_tuple, {f, 3}, [x(0)]}, {test, test_arity, {f, 3}, [x(0), N]}],
    {[{f, 1, Get ++ [{get_tuple_element, x(0), K, x(I)} || {K, I} <- lists:zip(Ks, seq(length(Ks)))] ++
           tuple([x(I) || I <- seq(length(Ks))], length(Ks) + 1) ++ no()},
      {g, 1, tuple([one([x(0), {integer, I}, {atom, a}]) || I <- seq(N)], 1)},
      {h, 1, [{allocate, 0, 1}, {move, {atom, new}, x(2)}, {move, x(0), x(1)}, {move, {integer, hd(Ks) + 1}, x(0)},
              {call_ext, 3, {extfunc, erlang, setelement, 3}}] ++
           [{set_tuple_element, {atom, set}, x(0), K} || K <- tl(Ks)] ++ [{deallocate, 0}, return]}],
     [{f, [Sequence]}, {f, [{1}]}, {f, [a]}, {g, [a]}, {h, [Sequence]}]};
functions(choices) ->
    N = near([8, 12, 15, 16, 17]),
    Values = values(N),
    To = [one([5, 6, 7]) || _ <- Values],
    Arities = some(near([3, 8, 12]), fun() -> one([r(10), r(5000), near([8, 16, 23])]) end),
    {[{f, 1, [{select_val, x(0), {f, one([3, 4])}, {list, lists:append([[V, {f, L}] || {V, L} <- lists:zip(Values, To)])}}
              | targets()]},
      {g, 1, [{test, is_tuple, {f, 2}, [x(0)]},
              {select_tuple_arity, x(0), {f, 4}, {list, lists:append([[A, {f, one([5, 6])}] || A <- Arities])}}]}],
     [{f, [V]} || V <- [0, -1, a, [], 1.5, 1 bsl 70 | [value(one(Values)) || _ <- seq(8)]]] ++
         [{g, [list_to_tuple(seq(A))]} || A <- [0, 1, 2 | lists:sublist([A || A <- Arities, A < 5000], 6)]]};
functions(arities) ->
    N = one([255, 256, 254, r(256), near([8, 10, 16])]),
    Kind = one([{call, N, {f, 11}}, {call_only, N, {f, 11}}, {call_ext, N, {extfunc, large, g, N}},
                {call_ext_only, N, {extfunc, nowhere, g, N}}, {call_fun, N}, {apply, N}]),
    {[{f, 1, [{move, {integer, I}, x(I)} || I <- seq(min(N - 1, 300))] ++ [{allocate, 0, min(N, 255)}, Kind, {deallocate, 0}, return]},
      {g, N, tuple([x(I - 1) || I <- seq(N)], min(N, 255))}],
     [{g, seq(N)} || N < 256] ++ [{g, []}]};
functions(registers) ->
    N = one([1020 + r(3), r(1020), near([8, 9]), 1023, 1024, near([11, 16])]),
    {[{f, 1, [{move, x(0), x(N)}, {move, {integer, 1}, x(0)}, {test, is_eq_exact, {f, 3}, [x(N), {atom, a}]}, {move, x(N), x(0)},
              return | no()]}],
     [{f, [a]}, {f, [b]}]};
functions(frames) ->
    N = one([1020 + r(4), 1 + r(1020), near([4, 8, 9]), near([10, 11])]),
    Ks = some(20, fun() -> r(N) end),
    Keep = r(N),
    {[{f, 1, [{allocate, N, 1}, {init_yregs, {list, [y(I - 1) || I <- seq(N)]}}] ++ [{move, one([x(0), {integer, K}]), y(K)} || K <- Ks] ++
           [{call, 1, {f, 11}}] ++ [{trim, Keep, N - Keep} || Keep > 0] ++
           [{test_heap, 2 * (N - Keep), 1}, {move, nil, x(0)}] ++ [{put_list, y(I - 1), x(0), x(0)} || I <- seq(N - Keep)] ++
           [{deallocate, N - Keep}, return]},
      {g, 1, [return]}],
     [{f, [a]}, {f, [[1, 2]]}]};
functions(moves) ->
    N = 2 + r(one([4, 30, 250])),
    {[{f, N, [{allocate, N, N}, {init_yregs, {list, [y(I - 1) || I <- seq(N)]}}] ++
           some(near([4, 6, 8]), fun() ->
                    A = x(r(N)), B = one([x(r(N)), y(r(N))]),
                    one([{move, A, B}, {move, B, A}, {swap, A, B}, {move, {integer, near([8, 28, 31, 59, 60])}, B}, {move, {atom, a}, A}, {move, nil, B}])
                end) ++
           [{test_heap, 2 * N + 1, N}, {put_tuple2, x(0), {list, [one([x(I - 1), y(I - 1)]) || I <- seq(N)] ++ [y(I - 1) || I <- seq(N)]}},
            {deallocate, N}, return]}],
     [{f, seq(N)}]};
functions(far_labels) ->
    N = near([8, 12, 14, 15]),
    Filler = lists:append(lists:duplicate(N, [{move, x(1), x(2)}, {test, is_eq_exact, {f, one([3, 4])}, [x(0), x(2)]}])),
    {[{f, 2, [{test, is_integer, {f, 4}, [x(0)]}, {select_val, x(0), {f, 5}, {list, [{integer, 1}, {f, 6}, {integer, 2}, {f, 7}]}}, {label, 5}] ++ Filler ++
           [{move, {atom, far}, x(0)}, return, {label, 4}, {move, {atom, four}, x(0)}, return, {label, 6}, {move, {integer, 2}, x(0)},
            {call_only, 2, {f, 2}}, {label, 7}, {move, {integer, 5}, x(0)}, {move, {integer, 5}, x(1)}, {jump, {f, 5}} | no()]}],
     [{f, [X, Y]} || X <- [a, 1, 2, 3], Y <- [x, 3]]};
functions(segments) ->
    N = near([4, 8, 12, 13]),
    Size = near([4, 8, 12, 16]), Unit = one([1, 8, 255, 256, 1 + r(256)]),
    Segments = lists:append(some(N, fun() -> segment(Size div 16) end)),
    Type = one([bs_get_integer2, bs_get_binary2, bs_get_float2, bs_skip_bits2]),
    Flags = {field_flags, one([[], [little], [signed], [little, signed]])},
    Take = case Type of
               bs_skip_bits2 -> {test, Type, {f, 3}, [x(1), {integer, Size}, Unit, Flags]};
               _ -> {test, Type, {f, 3}, 2, [x(1), {integer, Size}, Unit, Flags], x(2)}
           end,
    {[{f, 1, [{bs_create_bin, {f, 0}, 0, 1, 1, x(1), {list, Segments}}, {move, x(1), x(0)}, return]},
      {g, 1, [{move, {atom, skipped}, x(2)}, {test, bs_start_match3, {f, 3}, 3, [x(0)], x(1)}, Take, {bs_get_tail, x(1), x(3), 4}] ++
           tuple([x(2), x(3)], 4) ++ no()},
      {h, 1, [{test, bs_start_match3, {f, 3}, 1, [x(0)], x(1)}, {test, bs_test_unit, {f, 3}, [x(1), Unit]}, {test, bs_test_tail2, {f, 3}, [x(1), Size]},
              {move, {atom, yes}, x(0)}, return | no()]}],
     [{f, [5]}, {f, [a]}] ++
         [{F, [<<-1:Bits>>]} || F <- [g, h], Bits <- lists:usort([0, Size, Size * Unit, Size * Unit - 1, Size * Unit + 3]), Bits < 1 bsl 24]};
functions(string) ->
    N = near([4, 8, 11, 12, 15, 16, 17]),
    String = << <<(r(256))>> || _ <- seq(N) >>,
    Bits = one([8 * N, 8 * N - r(8)]),
    <<Part:Bits/bits, _/bits>> = String,
    {[{f, 1, [{bs_create_bin, {f, 0}, 0, 1, 1, x(0), {list, [{atom, string}, 1, 8, nil, {string, String}, {integer, N},
                                                          {atom, string}, 2, 8, nil, {string, String}, {integer, N}]}}, return]},
      {g, 1, [{test, bs_start_match3, {f, 3}, 1, [x(0)], x(1)}, {test, bs_match_string, {f, 3}, [x(1), Bits, {string, String}]},
              {bs_get_tail, x(1), x(0), 2}, return | no()]}],
     [{f, [1]}, {g, [String]}, {g, [<<String/binary, 1:3>>]}, {g, [<<Part/bits, 1:2>>]}, {g, [binary:part(String, 0, N - 1)]}, {g, [<<>>]}]};
functions(maps) ->
    N = near([5, 8, 12, 15, 16]),
    Keys = lists:keysort(2, [key(I) || I <- seq(N)]), % as the compiler writes them
    Full = maps:from_keys([value(K) || K <- Keys], old),
    Some = [{K, I} || I <- seq(min(N, 60)), K <- [lists:nth(I, Keys)]],
    {[{f, 1, [{test, is_map, {f, 3}, [x(0)]}, {test, has_map_fields, {f, 3}, x(0), {list, Keys}}, {move, {atom, yes}, x(0)}, return | no()]},
      {g, 1, [{test, is_map, {f, 2}, [x(0)]}, {one([put_map_assoc, put_map_exact]), {f, 0}, x(0), x(0), 1,
                                             {list, lists:append([[K, one([{atom, new}, {integer, 1}])] || K <- Keys])}}, return]},
      {h, 1, [{test, is_map, {f, 2}, [x(0)]}, {get_map_elements, {f, 2}, x(0), {list, lists:append([[K, x(I)] || {K, I} <- Some])}}] ++
           tuple([x(I) || {_, I} <- Some], length(Some) + 1)}],
     [{F, [M]} || F <- [f, g, h], M <- [Full, maps:remove(value(hd(Keys)), Full), #{}, a]]};
functions(integers) ->
    Bytes = one([near([1, 3, 4, 8, 11, 12]), 7 + r(4), 23 + r(4), 2054 + r(5)]),
    Number = ((1 bsl (8 * Bytes - 1)) + one([0, -1, 1, r(1 bsl 60), -(1 bsl (8 * Bytes - 2))])) * one([1, -1]),
    {[{f, 1, [{move, {integer, Number}, x(0)}, return]},
      {g, 1, [{gc_bif, one(['+', '-', '*', 'band', 'bxor']), {f, 0}, 1, [x(0), {integer, Number}], x(0)}, return]},
      {h, 1, [{test, one([is_eq_exact, is_eq, is_lt, is_ge, is_ne_exact]), {f, 3}, [x(0), {integer, Number}]}, {move, {atom, yes}, x(0)}, return | no()]}],
     [{F, [X]} || F <- [f, g, h], X <- [1, a, Number, Number + 1, -Number]]};
functions(label_numbers) ->
    Labels = near([5, 8, 11, 12, 15, 16, 19]),
    Used = max(20, Labels + one([0, -1, -2, 1])),
    {[{large, Labels + 21, [{f, 1, [{test, is_atom, {f, Used}, [x(0)]}, {move, {atom, atom}, x(0)}, return, {label, Used}, {move, {atom, other}, x(0)}, return]}]}],
     [{f, [1]}, {f, [a]}]};
functions(rooms) ->
    N = near([4, 8, 12, 16, 17]),
    Alloc = {alloc, [{words, N}, {floats, r(300)}, {funs, r(300)}]},
    {[{f, 1, [{test_heap, one([N, Alloc]), 1}, {put_list, x(0), nil, x(0)}, return]},
      {g, 1, [{allocate_heap, 1 + r(10), one([N, Alloc]), 1}, {put_list, x(0), nil, x(0)}, {deallocate, 0}, return]}],
     [{f, [a]}, {f, [{1}]}]};
functions(functions) ->
    N = near([8, 10, 12, 13]),
    Name = fun(I) -> list_to_atom("f" ++ integer_to_list(I)) end,
    Entry = fun(I) -> {f, 11 + 2 * (I - 1)} end,
    Next = fun(I) -> min(N, I + 1 + r(one([2, 100, 2000]))) end,
    {[{f, 1, [{call_only, 1, Entry(1)}]} |
      [{Name(I), 1, [{allocate, 1, 1}, {move, x(0), y(0)},
                     one([{call, 1, Entry(Next(I))}, {call_ext, 1, {extfunc, large, Name(Next(I)), 1}}]),
                     {test_heap, 4, 1}, {put_tuple2, x(0), {list, [x(0), y(0), {integer, I}]}}, {deallocate, 1}, return]} || I <- seq(N - 1)]] ++
     [{Name(N), 1, [one([{call_ext_only, 1, {extfunc, nowhere, f, 1}}, return])]}],
     [{Name(I), [x]} || I <- [N, max(1, N - 1), max(1, N - 3)]] ++ [{f, [y]}, {module_info, []}]};
functions(literals) ->
    N = near([8, 11, 12, 15, 16]),
    Terms = [one([{I}, <<I:32>>, [I | a], I / 3, #{I => I}]) || I <- seq(N)],
    {[{f, 1, tuple([{literal, T} || T <- Terms], 1)},
      {g, 1, [{test, is_eq_exact, {f, 3}, [x(0), {literal, lists:last(Terms)}]}, {move, {literal, lists:nth(1 + r(N), Terms)}, x(0)}, return | no()]}],
     [{f, [1]}, {g, [1]}, {g, [lists:last(Terms)]}]};
functions(lines) ->
    N = near([4, 8, 11]),
    Files = near([2, 4, 8, 10]),
    Line = fun(_) -> {line, [{location, "file_" ++ integer_to_list(r(Files)) ++ ".erl", one([r(10000), near([8, 15, 16, 20, 23, 24, 27, 30]), 100000000 + r(1000)])}]} end,
    {[{f, 1, [{allocate, 0, 1}] ++ lists:append([[Line(I), {gc_bif, '-', {f, 0}, 1, [x(0), {integer, 1}], x(0)},
                                                  {test, is_ne_exact, {f, 4}, [x(0), {integer, 0}]}] || I <- seq(N)]) ++
           [{label, 4}, {move, {atom, a}, x(0)}, Line(0), {gc_bif, '+', {f, 0}, 1, [x(0), {integer, 1}], x(0)}, {deallocate, 0}, return]},
      {g, 1, lists:append([[Line(I), {test, is_ne_exact, {f, 3}, [x(0), {integer, I}]}] || I <- seq(N)]) ++
           [Line(0), {bif, hd, {f, 0}, [x(0)], x(0)}, return, {label, 3}, Line(0), {bif, element, {f, 0}, [x(0), x(0)], x(0)}, return]}],
     [{f, [I]} || I <- [1, N, N + 1, z]] ++ [{g, [I]} || I <- [1, N, N + 1, z]]};
functions(floats) ->
    N = one([r(16), 15, 16, near([4, 8]), 1022, 1023, 1024, near([10])]),
    {[{f, 1, [{test, is_float, {f, 3}, [x(0)]}, {fconv, x(0), {fr, N}}, {bif, fadd, {f, 0}, [{fr, N}, {fr, N}], {fr, N}},
              {test_heap, {alloc, [{words, 0}, {floats, 1}, {funs, 0}]}, 1}, {fmove, {fr, N}, x(0)}, return | no()]}],
     [{f, [1.5]}, {f, [a]}]};
functions(free_variables) ->
    Free = one([r(256), 254, 255, 256, near([8])]), Arity = one([0, 1, r(256)]),
    {[{f, 1, [{move, {integer, I}, x(I)} || I <- seq(max(0, Free - 1))] ++
           [{test_heap, {alloc, [{words, Free}, {floats, 0}, {funs, 1}]}, min(Free, 255)},
            {make_fun3, {f, 11}, 0, 0, x(0), {list, [x(I - 1) || I <- seq(Free)]}}, return]},
      {g, Free + Arity, tuple([x(I - 1) || I <- seq(Free + Arity)], Free + Arity)}],
     [{f, [a]}]}.

tuple(Elements, Live) -> [{test_heap, length(Elements) + 1, Live}, {put_tuple2, x(0), {list, Elements}}, return].

targets() -> [{label, 5}, {move, {atom, five}, x(0)}, return, {label, 6}, {move, {atom, six}, x(0)}, return,
              {label, 7}, {move, {atom, seven}, x(0)}, return, {label, 4}, {move, {atom, four}, x(0)}, return | no()].

values(N) ->
    First = one([0, 1, -10, near([8, 20, 27, 28, 31, 59])]),
    case r(5) of
        0 -> [{integer, I} || I <- lists:seq(First, First + N - 1)];
        1 -> [{integer, I * one([1, 1, 1, -1])} || I <- lists:usort(some(N, fun() -> r(1 bsl one([20, 30, 58])) end))];
        2 -> [{atom, list_to_atom("choice_" ++ integer_to_list(I))} || I <- seq(N)];
        3 -> [{integer, (1 bsl 64) + I} || I <- seq(min(N, 5000))];
        4 -> [{literal, I / 7} || I <- seq(min(N, 5000))]
    end.

value({_, V}) -> V.
key(I) -> case I rem 4 of 0 -> {integer, I}; 1 -> {atom, list_to_atom("k" ++ integer_to_list(I))}; 2 -> {literal, {I}}; 3 -> {literal, <<I:32>>} end.

segment(Size) ->
    case r(4) of
        0 -> [{atom, integer}, 1, 1, nil, one([x(0), {integer, 3}]), {integer, 1 + r(Size + 1)}];
        1 -> [{atom, integer}, 1, one([1, 7, 8, 255, 256]), {literal, [little]}, {integer, 5}, {integer, r(4)}];
        2 -> [{atom, utf8}, 1, 0, nil, {integer, one([65, 16#1f600])}, {atom, undefined}];
        3 -> [{atom, binary}, 1, 1, nil, {literal, <<1, 2, 3:4>>}, {atom, all}]
    end.

%% --- One odd instruction --------------------------------------------------------------------------------------------

%% What stock takes and cannot run (a call of 300 arguments) is left out: such code has no answer to compare.
odd() ->
    Live = fun() -> 20 + r(4) end,
    Arity = fun() -> one([r(20), 255, 254, r(256)]) end,
    Frame = fun() -> one([r(20), near([4, 8]), 1000 + r(20)]) end,
    Words = fun() -> one([r(20), near([4, 8, 10, 11]), near([12, 15, 16, 20])]) end,
    Unit = fun() -> one([1, 8, 255, 256, 1 + r(256)]) end,
    Large = fun() -> one([r(20), near([8, 10, 11, 12, 15, 16, 20, 23])]) end,
    R = fun() -> one([x(r(10)), y(r(10)), x(one([255, 1022, 1023, r(1024)])), y(one([255, 1022, 1023, r(1024)])),
                      one([x(near([10, 11, 16])), y(near([10, 11, 16]))])]) end,
    S = fun() -> one([R(), {atom, a}, nil, {integer, near([8, 20, 59, 64, 100])}, {literal, {1}}]) end,
    L = fun() -> {f, one([2, 3, 3, 3, 3, 3, 50])} end,
    Flags = {field_flags, one([[], [little], [signed]])},
    (one([fun() -> {move, S(), R()} end, fun() -> {swap, R(), R()} end,
          fun() -> {allocate, Frame(), Live()} end, fun() -> {allocate_heap, Frame(), Words(), Live()} end,
          fun() -> {deallocate, Frame()} end, fun() -> {trim, Frame(), Frame()} end, fun() -> {test_heap, Words(), Live()} end,
          fun() -> {call, Arity(), {f, 2}} end, fun() -> {call_last, Arity(), {f, 2}, Frame()} end,
          fun() -> A = Arity(), {call_ext, A, {extfunc, m, f, A}} end,
          fun() -> A = Arity(), {call_ext_last, A, {extfunc, m, f, A}, Frame()} end,
          fun() -> A = near([8]), {call_ext_only, A, {extfunc, m, f, A}} end,
          fun() -> {call_fun, Arity()} end,
          fun() -> {get_tuple_element, R(), Large(), R()} end, fun() -> {set_tuple_element, S(), R(), Large()} end,
          fun() -> {test, test_arity, L(), [R(), Large()]} end,
          fun() -> {test, is_tagged_tuple, L(), [R(), Large(), {atom, a}]} end,
          fun() -> {test, one([is_eq, is_lt, is_ge, is_eq_exact]), L(), [S(), S()]} end,
          fun() -> {test, one([is_atom, is_list, is_float]), L(), [R()]} end,
          fun() -> {gc_bif, one(['+', '-', 'div', 'band']), one([{f, 0}, L()]), Live(), [S(), S()], R()} end,
          fun() -> {gc_bif, one([length, byte_size]), one([{f, 0}, L()]), Live(), [R()], R()} end,
          fun() -> {bif, one([element, '=:=', map_get]), one([{f, 0}, L()]), [S(), S()], R()} end,
          fun() -> {test, bs_get_integer2, L(), Live(), [R(), one([R(), {integer, Large()}]), Unit(), Flags], R()} end,
          fun() -> {test, bs_get_binary2, L(), Live(), [R(), one([R(), {integer, Large()}, {atom, all}]), Unit(), Flags], R()} end,
          fun() -> {test, bs_skip_bits2, L(), [R(), one([R(), {integer, Large()}, {atom, all}]), Unit(), Flags]} end,
          fun() -> {test, bs_test_unit, L(), [R(), Unit()]} end, fun() -> {test, bs_test_tail2, L(), [R(), Large()]} end,
          fun() -> {test, bs_start_match3, L(), Live(), [R()], R()} end,
          fun() -> {bs_get_position, R(), R(), Live()} end, fun() -> {bs_get_tail, R(), R(), Live()} end,
          fun() -> {init_yregs, {list, some(1 + r(40), fun() -> y(one([r(20), r(1024), 1023, 1024])) end)}} end,
          fun() -> {put_tuple2, R(), {list, some(r(300), S)}} end, fun() -> {put_list, S(), S(), R()} end,
          fun() -> {put_map_assoc, {f, 0}, S(), R(), Live(), {list, [S(), S()]}} end,
          fun() -> {get_map_elements, L(), R(), {list, lists:append(some(1 + r(4), fun() -> [S(), R()] end))}} end,
          fun() -> {select_val, R(), L(), {list, lists:append([[{integer, I * near([8])}, L()] || I <- seq(1 + r(20))])}} end,
          fun() -> {select_tuple_arity, R(), L(), {list, lists:append(some(1 + r(20), fun() -> [Large(), L()] end))}} end,
          fun() -> {fconv, S(), {fr, one([r(16), 1022, 1023, 1024, near([11])])}} end,
          fun() -> {wait_timeout, L(), S()} end, fun() -> {jump, L()} end,
          fun() -> {one(['catch', 'try']), y(one([r(20), 1023, 1024])), L()} end,
          fun() -> {catch_end, y(one([r(20), 1023, 1024]))} end,
          fun() -> {bs_create_bin, one([{f, 0}, L()]), Words(), Live(), one([8, 1]), R(), {list, segment(near([8, 16]))}} end,
          fun() -> {get_list, R(), R(), R()} end, fun() -> {case_end, S()} end, fun() -> {get_hd, R(), R()} end]))().
