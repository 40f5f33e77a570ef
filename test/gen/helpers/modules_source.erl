%% Shapes of large modules that the compiler makes: {Options, Text of the functions, Calls}, all functions being exported.
-module(modules_source).
-export([shapes/0, shape/1]).
-import(modules_draw, [r/1, one/1, some/2, near/1, join/2, n/1]).

shapes() -> [tuples, arities, frames, choices, literals, many_literals, segments, units, strings, far_labels, lines,
             functions, imports, funs, atoms, maps, keys, integers, nested, exceptions].

shape(tuples) ->
    N = near([6, 8, 9, 10, 11, 12]),
    [K1, K2, K3] = Ks = lists:sort(some(3, fun() -> 1 + r(N) end)),
    Pattern = fun(Rest) -> list("{", [case lists:member(I, Ks) of true -> ["V", n(I)]; false -> "_" end
                                      || I <- lists:seq(1, N)], [Rest, "}"]) end,
    Vars = [["V", n(I)] || I <- lists:usort(Ks)],
    Sequence = list_to_tuple(lists:seq(1, N)),
    {[], ["make(A, B) -> ", list("{", [one(["A", "B", n(I), "c"]) || I <- lists:seq(1, N)], "}"), ".\n",
          "match(", Pattern(""), ") -> [", join(", ", Vars), "];\nmatch(", Pattern(", _"),
          ") -> {longer, ", join(", ", Vars), "};\nmatch(_) -> no.\n",
          "get(T) when tuple_size(T) =:= ", n(N), " -> {element(", n(K1), ", T), element(", n(K3), ", T)};\n",
          "get(T) when element(", n(K2), ", T) > 0 -> element(", n(K2), ", T).\n",
          "set(T) -> setelement(", n(K1), ", setelement(", n(K2), ", setelement(", n(K3), ", T, c), b), a).\n"],
     [{make, [x, {y}]}, {match, [Sequence]}, {match, [erlang:append_element(Sequence, z)]}, {match, [{1}]},
      {get, [Sequence]}, {get, [list_to_tuple(lists:seq(1, K2))]}, {get, [a]}, {set, [Sequence]}, {set, [{1}]}]};
shape(arities) ->
    N = one([255, 254, 250 - r(100), 16 + r(200)]),
    Free = r(N),
    As = names("A", N),
    Swapped = lists:reverse(As),
    {[], ["f(", join(", ", As), ") -> g(", join(", ", Swapped), ").\n",
          "g(", join(", ", As), ") -> ?MODULE:h(", join(", ", tl(As) ++ [hd(As)]), ").\n",
          "h(", join(", ", As), ") -> [", join(", ", As), "].\n",
          "b(", join(", ", As), ") -> h(", join(", ", [[A, " + ", n(I)] || {A, I} <- lists:zip(As, lists:seq(1, N))]), ").\n",
          "c(", join(", ", As), ") -> fun(", join(", ", names("X", N - Free)), ") -> {",
          join(", ", names("X", N - Free) ++ lists:nthtail(N - Free, As)), "} end.\n",
          "d(F, L) -> apply(F, L).\n",
          "e(", join(", ", As), ") -> (c(", join(", ", As), "))(", join(", ", lists:sublist(Swapped, N - Free)), ").\n"],
     [{f, lists:seq(1, N)}, {b, lists:seq(1, N)}, {b, lists:seq(2, N) ++ [wrong]}, {e, lists:seq(1, N)}, {h, []},
      {d, [fun erlang:list_to_tuple/1, lists:seq(1, N)]}]};
shape(frames) ->
    N = one([near([6, 7, 8, 9]), 30 + r(300)]),
    Vs = names("V", N),
    Lines = [["    ", V, " = id(", one(["A", "B", n(r(1000))]), "),\n"] || V <- Vs],
    Keep = some(1 + r(20), fun() -> one(Vs) end),
    {[], ["id(X) -> X.\n",
          "f(A, B) ->\n", Lines,
          one([["    id(s),\n    [", join(", ", Vs), "].\n"],
               ["    try id(A + B) of R -> {R, ", join(", ", Vs), "} catch _:E -> {E, ", join(", ", Vs), "} end.\n"],
               ["    T = {", join(", ", Vs), "}, case id(A) of 1 -> id(B); _ -> [element(2, T), ", join(", ", Keep),
                " | id(B)] end.\n"]])],
     [{f, Args} || Args <- [[1, 2], [a, {b}], [1, b]]]};
shape(choices) ->
    N = near([6, 8, 10, 11]),
    Values = choice_values(N),
    {[], ["f(X) -> case X of\n",
          [["    ", text(V), " -> ", n(I), ";\n"] || {V, I} <- lists:zip(Values, lists:seq(1, length(Values)))],
          "    _ -> none\n    end.\n",
          "g(", join(";\ng(", [[text(V), ") -> ", one(["f(yes)", "a", n(r(100000))])] || V <- Values]), "."],
     [{F, [V]} || F <- [f, g], V <- some(6, fun() -> one(Values) end) ++ others()]};
shape(literals) ->
    Size = near([8, 12, 14]),
    Term = one([lists:seq(1, Size), binary:copy(<<"abcdefg">>, Size), list_to_tuple(lists:seq(1, Size)),
                maps:from_list([{I, I} || I <- lists:seq(1, Size div 8)]), deep(Size div 8, []), 1 bsl Size,
                <<1:(Size * 8 + 3)>>, {[X / 3 || X <- lists:seq(1, Size div 8)]}]),
    {one([[], [compressed]]), [{answers, f, Term}, {answers, g, [{a, Term}, Term]}], [{f, [1]}, {g, [1]}]};
shape(many_literals) ->
    N = near([8, 10, 11, 12]),
    {one([[], [compressed], [no_copt]]),
     ["f(X) -> case X of\n", [["    ", n(I), " -> ", literal(I), ";\n"] || I <- lists:seq(1, N)], "    _ -> none end.\n"],
     [{f, [I]} || I <- [0, 1, 2, N, N + 1 | some(5, fun() -> 1 + r(N) end)]]};
shape(segments) ->
    N = near([5, 8, 9]),
    Segments = [[n(r(256)), ":", n(1 + r(70))] || _ <- lists:seq(1, N)],
    Fields = [["F", n(I), ":", n(1 + r(70)), one(["", "/little", "/signed", "/signed-little"])] || I <- lists:seq(1, N)],
    Wide = near([8, 12, 16, 20]),
    {[], ["make(A, B) -> <<", join(", ", [one(["A:8", "B/bits", "A:33/little", S]) || S <- Segments]), ">>.\n",
          "take(<<", join(", ", Fields), ", R/bits>>) -> {R, ", join(", ", names("F", N)), "};\ntake(_) -> no.\n",
          "wide(X) -> <<X:", n(Wide), one(["", "/little", "/signed"]), ", 1:3>>.\n",
          "narrow(<<X:", n(Wide), one(["", "/little", "/signed"]), ", R:3>>) -> {X, R};\nnarrow(<<_:", n(Wide),
          ", R/bits>>) -> R;\nnarrow(_) -> no.\n"],
     [{make, [7, <<1:3>>]}, {make, [-1, <<>>]}, {make, [a, <<>>]}, {take, [<<5:(36 * N)>>]}, {take, [<<-1:(71 * N)>>]},
      {wide, [1 bsl 40 + 3]}, {wide, [-77]}, {wide, [x]}, {narrow, [<<-3:Wide, 5:3>>]},
      {narrow, [<<3:Wide, 5:4>>]}, {narrow, [<<5:(Wide - 1)>>]}]};
shape(units) ->
    Unit = one([255, 256, 1 + r(256), 8, 1]),
    Size = near([3, 8, 11, 12]),
    Bits = Size * Unit,
    {[], ["take(<<X:", n(Size), "/unit:", n(Unit), ", R/bits>>) -> {erlang:phash2(X), R};\ntake(_) -> no.\n",
          "some(B, N) -> case B of <<X:N/binary-unit:", n(Unit), ", R/bits>> -> {X, R}; _ -> no end.\n",
          "make(X, N) -> <<X:N/unit:", n(Unit), ">>.\n",
          "left(<<_:", n(Size), "/bits, R/binary-unit:", n(Unit), ">>) -> R;\nleft(_) -> no.\n",
          "put(B) -> <<B:", n(Size), "/binary-unit:", n(Unit), ">>.\n"],
     [{take, [<<-1:Bits, 1:2>>]}, {take, [<<-1:(Bits - 1)>>]}, {some, [<<-1:Bits>>, Size]}, {some, [<<-1:Bits>>, Size + 1]},
      {some, [<<1>>, 1 bsl 64]}, {make, [5, Size]}, {make, [5, -1]}, {make, [a, Size]}, {left, [<<-1:(Bits + Size)>>]},
      {left, [<<-1:(Bits + Size + 1)>>]}, {put, [<<1:(Bits + 8)>>]}, {put, [<<1:Bits>>]}, {put, [<<1:(Bits - 1)>>]}]};
shape(strings) ->
    Length = near([5, 8, 11]),
    String = fun() -> some(Length, fun() -> one("abc xyz0") end) end,
    S1 = String(), S2 = String(),
    {[], ["f(X) -> <<X, \"", S1, "\", X:4, \"", S2, "\">>.\n",
          "g(<<\"", S1, "\", X, _/bits>>) -> {one, X};\ng(<<X, \"", S2, "\", _/bits>>) -> {two, X};\ng(_) -> no.\n",
          "h(\"", S1, "\" ++ T) -> T;\nh(_) -> no.\n"],
     [{f, [1]}, {f, [a]}, {g, [list_to_binary([S1, 7])]}, {g, [list_to_binary([7, S2])]}, {g, [list_to_binary(S1)]},
      {g, [<<>>]}, {h, [S1 ++ tail]}, {h, [S2]}]};
shape(far_labels) ->
    N = near([8, 9, 10]),
    {one([[], [no_type_opt], [no_copt]]),
     ["f(0, A) -> {fast, A};\nf(X, A) when is_list(A) -> B = [", join(", ", some(N, fun() -> one(["{X, A}", "{g(X)}", "[A | X]"]) end)),
      "], case g(X) of 1 -> f(0, B); 2 -> f(X - 1, B); _ -> [f(X - 1, [X]) | A] end;\nf(X, A) -> {last, X, A}.\n",
      "g(X) when X > 3 -> 2;\ng(X) when X < 2 -> 1;\ng(X) -> X * X.\n",
      "h(X) -> try X + 1, ", join(", ", some(N, fun() -> one(["g(X)", "g(X + 1)", "f(0, X)"]) end)),
      ", hd(X) catch error:E -> {caught, E} end.\n"],
     [{f, [0, a]}, {f, [1, []]}, {f, [4, []]}, {f, [2, [z]]}, {f, [4, z]}, {f, [x, []]}, {h, [1]}, {h, [x]}]};
shape(lines) ->
    Lines = some(near([6, 8, 10]), fun() -> one([r(100000), near([8, 12, 16, 20, 24, 27, 31]), 100000000 + r(1000000)]) end),
    {[], [["f(X, ", n(I), ") ->\n", {line, L}, "    g(X) + 1", one([";\n", ";\n\n"])] || {I, L} <- number(Lines)]
         ++ ["f(X, Y) ->\n    X / Y.\n", {line, 100000001}, "g(a) -> 1;\ng(X) ->\n", {line, 777777777}, "    hd(X).\n"],
     [{f, [X, I]} || X <- [a, b, [a]], I <- [1, length(Lines), 0 | some(4, fun() -> 1 + r(length(Lines)) end)]]};
shape(functions) ->
    N = near([8, 10, 11]),
    {one([[], [compressed], [no_copt], [deterministic]]),
     [["f", n(I), "(X) -> [", n(I), one([", X].\n", " | X].\n", ", X | f" ++ n(1 + r(N)) ++ "(X, X)].\n"])] || I <- lists:seq(1, N)] ++
     [["f", n(I), "(X, Y) -> {X, ", n(I), ", Y}.\n"] || I <- lists:seq(1, N)],
     [{function(I), [x]} || I <- [1, N, N + 1 | some(6, fun() -> 1 + r(N) end)]] ++
         [{module_info, [functions]}, {module_info, [exports]}]};
shape(imports) ->
    N = near([8, 10, 11]),
    {[], ["f(I, X) ->\n    case I of\n",
          [["    ", n(I), " -> module_", n(r(N)), ":f", n(I), "(", join(", ", lists:duplicate(r(6), "X")), ")", one([";\n", ", X;\n"])]
           || I <- lists:seq(1, N)],
          "    _ -> lists:reverse(X)\n    end.\n"],
     [{f, [I, [1, 2]]} || I <- [0, 1, N | some(4, fun() -> 1 + r(N) end)]]};
shape(funs) ->
    N = near([8, 9, 10]),
    {[], ["f(I, X) ->\n    case I of\n",
          [["    ", n(I), " -> fun(", join(", ", names("A", I rem 5)), ") -> {", join(", ", [n(I), "X"] ++ names("A", I rem 5)), "} end;\n"]
           || I <- lists:seq(1, N)],
          "    _ -> fun ?MODULE:f/2\n    end.\n",
          "g(I) -> (f(I, x))(", join(", ", ["1"]), ").\n",
          "h(I) -> F = f(I, x), {erlang:fun_info(F, arity), erlang:fun_info(F, index), erlang:fun_info(F, name), apply(F, lists:seq(1, I rem 5))}.\n"],
     [{F, [I]} || F <- [g, h], I <- [1, N | some(5, fun() -> 1 + r(N) end)]]};
shape(atoms) ->
    N = near([8, 9, 11]),
    Names = lists:usort(some(N, fun() -> fitting(some(one([1 + r(255), 255, 254]), one([fun character/0, fun() -> $a + r(26) end]))) end)),
    Pick = [one(Names) || _ <- lists:seq(1, 8)],
    {[], ["f(X) -> case X of\n", [["    ", quoted(Name), " -> ", n(I), ";\n"] || {I, Name} <- number(Names)], "    _ -> none end.\n",
          "g(X) -> {X, ", join(", ", [quoted(Name) || Name <- Names]), "}.\n",
          [[quoted(Name), "(X) -> {X, ", quoted(one(Names)), "}.\n"] || Name <- lists:usort(Pick)]],
     [{f, [list_to_atom(Name)]} || Name <- Pick] ++ [{f, [nothing]}, {g, [1]}] ++
         [{list_to_atom(Name), [a]} || Name <- lists:usort(Pick)]};
shape(maps) ->
    N = near([5, 6, 8, 10]),
    Keys = [key(I) || I <- lists:seq(1, N)],
    Map = fun(Arrow, V) -> list("#{", [[text(K), Arrow, V, " + ", n(r(9))] || K <- Keys], "}") end,
    Full = maps:from_keys(Keys, 3),
    {[], ["make(A) -> ", Map(" => ", "A"), ".\n", "add(M, A) -> M", Map(" => ", "A"), ".\n", "set(M, A) -> M", Map(" := ", "A"), ".\n"],
     [{make, [1]}, {make, [a]}, {add, [#{}, 1]}, {add, [#{a => 1}, 2]}, {add, [Full, 2]}, {add, [a, 1]}, {set, [Full, 7]},
      {set, [maps:remove(lists:last(Keys), Full), 7]}, {set, [#{}, 1]}, {set, [x, 1]}]};
shape(keys) ->
    N = near([5, 7, 8, 9]),
    Keys = [key(I) || I <- lists:seq(1, N)],
    Full = maps:from_list([{K, erlang:phash2(K)} || K <- Keys]),
    {[], ["f(", list("#{", [[text(K), " := ", "V", n(I)] || {I, K} <- number(Keys)], "}"), ") -> [",
          join(", ", names("V", N)), "];\n",
          "f(", list("#{", [[text(K), " := _"] || K <- tl(Keys)], "}"), ") -> all_but_one;\n",
          "f(#{}) -> fewer;\nf(_) -> no.\n",
          "g(M, X) -> case M of #{X := V, ", text(hd(Keys)), " := W} -> {V, W}; _ -> no end.\n"],
     [{f, [Full]}, {f, [maps:remove(hd(Keys), Full)]}, {f, [maps:remove(lists:last(Keys), Full)]}, {f, [#{}]}, {f, [a]},
      {f, [Full#{more => 1}]}, {g, [Full, one(Keys)]}, {g, [Full, nowhere]}]};
shape(integers) ->
    Digits = near([5, 8, 11, 12]),
    Number = fun() -> [one(["", "-"]), n(1 + r(9)), some(Digits + r(3), fun() -> $0 + r(10) end)] end,
    Literals = some(6, Number),
    {[], ["f(X) -> [X ", join(", X ", [[one(["+ ", "- ", "* ", "div ", "rem ", "band ", "bxor "]), "(", L, ")"] || L <- Literals]), "].\n",
          "g(X) -> case X of ", join("; ", [[L, " -> ", n(I)] || {I, L} <- number(lists:usort(Literals))]), "; _ -> none end.\n",
          "h(X) when X > ", hd(Literals), " -> above;\nh(X) when X =< ", lists:last(Literals), " -> below;\nh(_) -> between.\n"],
     [{F, [X]} || F <- [f, g, h], X <- [1, -1 bsl 70, a, list_to_integer(lists:flatten(hd(Literals))), 1 bsl (4 * Digits)]]};
shape(nested) ->
    N = near([5, 6, 7]),
    {one([[], [no_type_opt], [no_copt]]),
     ["f(X) -> ", nest(N, [{"{", "}"}, {"[", " | X]"}, {"[", "]"}, {"#{k => ", "}"}, {"<<(g(", ")):8>>"}]), ".\n",
      "g(X) when is_integer(X) -> X;\ng(X) -> erlang:phash2(X).\n",
      "h(X) -> ", nest(N, [{"case X of a -> 1; _ -> ", " end"}, {"try ", " catch _:_ -> X end"}, {"(fun(Y) -> {Y, ", "} end)(X)"},
                           {"begin g(X), ", " end"}, {"[Z || Z <- [", "]]"}]), ".\n"],
     [{f, [1]}, {f, [a]}, {h, [1]}, {h, [a]}]};
shape(exceptions) ->
    N = near([5, 6, 7]),
    {[], ["f(X) ->\n", [["    A", n(I), " = try g(X, ", n(I), ") catch ", one(["_:_", "throw:_", "error:_"]), " -> ",
                         one(["a", "X", n(I)]), " end,\n"] || I <- lists:seq(1, N)], "    [", join(", ", names("A", N)), "].\n",
          "g(X, I) when I rem 2 =:= 0 -> X + I;\ng(X, I) -> ", one(["throw({X, I})", "exit(I)", "I"]), ".\n",
          "h(X) -> [", join(", ", [["catch g(X, ", n(I), ")"] || I <- lists:seq(1, N div 4)]), "].\n"],
     [{f, [1]}, {f, [a]}, {h, [1]}]}.

list(Open, Parts, Close) -> [Open, join(", ", Parts), Close].
names(Letter, N) -> [[Letter, n(I)] || I <- lists:seq(1, N)].
number(L) -> lists:zip(lists:seq(1, length(L)), L).
function(I) -> list_to_atom("f" ++ n(I)).
text(Term) -> io_lib:format("~0tp", [Term]).

choice_values(N) ->
    case r(5) of
        0 -> lists:seq(5, N + 4);
        1 -> lists:usort(some(N, fun() -> r(1 bsl 40) end));
        2 -> [list_to_atom("choice_" ++ n(I)) || I <- lists:seq(1, N)];
        3 -> lists:usort(some(N, fun() -> r(1 bsl 62) * one([1, -1, 1 bsl 70]) end));
        4 -> [one([{I}, "text" ++ n(I), I * 1.5 + 0.25, I, <<I:32>>]) || I <- lists:seq(1, N)]
    end.

others() -> [0, -1, 4, 1 bsl 59, 1 bsl 64, nothing, 1.5, [], {1}].

deep(0, Term) -> Term;
deep(N, Term) -> deep(N - 1, case N rem 3 of 0 -> {Term}; 1 -> [Term]; 2 -> [N | Term] end).

literal(I) -> text(one([{I, "text"}, <<I:40>>, [I | I], #{I => {}}, I / 7, {[I]}, (1 bsl 70) + I])).

key(I) -> case I rem 4 of 0 -> I; 1 -> list_to_atom("k" ++ n(I)); 2 -> {I}; 3 -> <<I:16>> end.

character() -> case r(4) of 0 -> one([$\\, $', $", 0, 10, 127, 255]); 1 -> 16#3b1 + r(20); 2 -> 16#1f600 + r(50); 3 -> $a + r(26) end.
%% The compiler writes atoms of up to 255 bytes.
fitting(Name) -> case byte_size(unicode:characters_to_binary(Name)) > 255 of true -> fitting(tl(Name)); false -> Name end.
quoted(Name) -> io_lib:write_atom(list_to_atom(Name)).

nest(0, _) -> "X";
nest(N, Kinds) -> {Open, Close} = one(Kinds), [Open, nest(N - 1, Kinds), Close].
