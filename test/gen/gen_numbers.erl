%% Writes random modules of sums and comparisons: in guards and bodies, with and without known types, of values at which
%% something ends (small integers, words, what a float tells apart, floats themselves). Each function is called with all
%% of a module's values, or all pairs of them. `erl -eval 'gen_numbers:write_one("DIR", Seed, N, Functions).'` writes
%% DIR/numbers_<Seed>_<N>.erl, to be compiled by the stock compiler and run on two runtimes whose output must agree. No
%% float is rounded to an integer: of -576460752303423488.0, the least small integer, the stock runtime makes one that is
%% not equal to it.
-module(gen_numbers).
-export([write_one/4]).

write_one(Dir, Seed, Number, N) ->
    rand:seed(exsss, Seed * 1000 + Number),
    Name = lists:concat(["numbers_", Seed, "_", Number]),
    ok = file:write_file(filename:join(Dir, Name ++ ".erl"), [
      "-module(", Name, ").\n-export([main/0]).\n-compile([nowarn_unused_vars, nowarn_illegal_guard, nowarn_failed]).\n",
      "main() ->\n",
      "  L = values(), \n",
      [io_lib:format("  run(~b, ~b, fun f~b/~b, L),\n", [I, ar(I), I, ar(I)]) || I <- lists:seq(1, N)],
      "  ok.\n",
      "run(I, 1, F, L) -> [io:format(\"~b ~w ~w~n\", [I, A, t(fun() -> F(A) end)]) || A <- L];\n",
      "run(I, 2, F, L) -> [io:format(\"~b ~w ~w~n\", [I, A, [t(fun() -> F(A, B) end) || B <- L]]) || A <- L].\n",
      "t(F) -> try F() of V -> big(V) catch C:E:S -> {C, E, [{M, Fn, Ar, [X || {K,_} = X <- P, K =:= line orelse K =:= error_info]} || {M, Fn, Ar, P} <- lists:takewhile(fun(X) -> element(2, X) =/= t end, S)]} end.\n",
      "big(V) when is_integer(V), abs(V) > 1 bsl 300 -> {big, erlang:phash2(V)};\nbig(V) -> V.\n",
      "id(X) -> X.\n",
      "values() -> [", lists:join(", ", picks()), "].\n",
      [func(I) || I <- lists:seq(1, N)]]).

ar(I) -> 1 + (I rem 2).

picks() -> %% some of them
    All = vals(),
    ["0", "1", "-1", "0.0", "id(-0.0)"] ++ [one(All) || _ <- lists:seq(1, 22)].

vals() -> ["2", "-2", "3", "7", "59", "60", "61", "62", "63", "64", "65", "-59", "-60", "-63", "-64", "255", "-256",
  "1 bsl 31", "-(1 bsl 31)", "(1 bsl 31) - 1", "1 bsl 32", "(1 bsl 32) - 1", "(1 bsl 28)", "-(1 bsl 28)", "(1 bsl 28)-1", "-(1 bsl 28) - 1",
  "(1 bsl 53)", "(1 bsl 53) + 1", "-(1 bsl 53) - 1", "9007199254740992.0", "9007199254740994.0",
  "(1 bsl 58)", "(1 bsl 58) - 1", "-(1 bsl 58)", "(1 bsl 59) - 1", "1 bsl 59", "(1 bsl 59) + 1", "-(1 bsl 59)", "-(1 bsl 59) - 1",
  "(1 bsl 60) - 1", "1 bsl 60", "(1 bsl 60) + 1", "-(1 bsl 60)", "-(1 bsl 60) - 1", "-(1 bsl 60) + 1", "(1 bsl 61)", "-(1 bsl 61)",
  "(1 bsl 62)", "-(1 bsl 62)", "(1 bsl 63) - 1", "1 bsl 63", "-(1 bsl 63)", "-(1 bsl 63) - 1", "(1 bsl 64) - 1", "1 bsl 64", "(1 bsl 64) + 1", "-(1 bsl 64)", "-(1 bsl 64)-1", "-(1 bsl 64)+1",
  "1 bsl 127", "-(1 bsl 128)", "(1 bsl 128) - 1", "1 bsl 1023", "-(1 bsl 1023)", "1 bsl 1024", "-(1 bsl 1024)", "(1 bsl 1024) - (1 bsl 969)", "(1 bsl 1024) - (1 bsl 970)", "(1 bsl 1024) - (1 bsl 970) - 1",
  "1.0", "-1.0", "0.5", "-0.5", "1.5", "2.5", "-2.5", "1.0e10", "1.0e76", "1.0e78", "1.0e-78", "-1.0e-76", "1.7976931348623157e308", "-1.7976931348623157e308", "5.0e-324", "2.2250738585072014e-308",
  "5.764607523034235e17", "1.152921504606847e18", "-1.152921504606847e18", "9.223372036854776e18", "1.8446744073709552e19", "-5.764607523034235e17", "4.611686018427388e18",
  "a", "[]", "{}", "#{}", "<<1>>", "[1]", "fun id/1", "'true'", "{1 bsl 60}"] .

one(L) -> lists:nth(rand:uniform(length(L)), L).

r(N) -> rand:uniform(N) - 1.

const() -> ["(", const1(), ")"].

const1() -> one(["0", "1", "-1", "2", "3", "7", "8", "16", "60", "61", "63", "64", "-64", "0.0", "1.0", "2.5", "-1.5", "1.0e300"] ++ numeric()).

numeric() -> [V || V <- vals(), begin C = hd(V), (C >= $0 andalso C =< $9) orelse C =:= $- orelse C =:= $( end].

func(I) ->
    put(fresh, 0),
    Vs = case ar(I) of 1 -> ["A"]; 2 -> ["A", "B"] end,
    Name = io_lib:format("f~b", [I]),
    Args = lists:join(", ", Vs),
    G = fun() -> [" when ", lists:join(", ", [guard(Vs) || _ <- lists:seq(1, 1 + r(3))])] end,
    case r(6) of
        0 -> [Name, "(", Args, ") ", G(), " -> {yes, ", expr(Vs, 2), "};\n", Name, "(", Args, ") -> ", "no", ".\n"];
        1 -> [Name, "(", Args, ") ", G(), " -> ", expr(Vs, 2), ";\n", Name, "(", Args, ") ", G(), " -> {2, ", expr(Vs, 2), "};\n", Name, "(", Args, ") -> no.\n"];
        2 -> [Name, "(", Args, ") ", G(), " -> ", expr(Vs, 3), ".\n"];
        3 -> [Name, "(", Args, ") -> ", body(Vs, 3), ".\n"];
        4 -> [Name, "(", Args, ") ", [" when ", typeg(Vs)], " -> ", body(Vs, 3), ";\n", Name, "(", Args, ") -> {no, ", one(Vs), "}.\n"];
        5 -> [Name, "(", Args, ") -> ", expr(Vs, 2), ".\n"]
    end.

typeg(Vs) -> lists:join(", ", [case r(8) of
   0 -> ["is_float(", V, ")"]; 1 -> ["is_integer(", V, ")"]; 2 -> ["is_number(", V, ")"];
   3 -> ["is_integer(", V, "), ", V, " >= ", one(["0", "-1", "-(1 bsl 59)", "-(1 bsl 60)", "1"]), ", ", V, " =< ", one(["10", "63", "64", "(1 bsl 59) - 1", "(1 bsl 60) - 1", "1 bsl 60", "1 bsl 64"])];
   4 -> ["is_integer(", V, "), ", V, " > ", one(["0", "-1", "1 bsl 58", "1 bsl 59"])];
   5 -> ["is_float(", V, ")"];
   6 -> [V, " >= 0, ", V, " < ", one(["1 bsl 59", "1 bsl 60", "64", "1 bsl 32"])];
   7 -> "true" end || V <- Vs]).

body(Vs, 0) -> expr(Vs, 1);
body(Vs, D) ->
    case r(4) of
        0 -> expr(Vs, D);
        1 -> V = fresh(), [V, " = ", one([expr(Vs, 1), ["id(", expr(Vs, 1), ")"]]), ",\n ", body([V | Vs], D - 1)];
        2 -> V = fresh(), [V, " = ", expr(Vs, 2), ",\n ", body([V | Vs], D - 1)];
        3 -> V = fresh(), [V, " = ", expr(Vs, 1), ",\n if ", guard([V | Vs]), " -> ", body([V | Vs], D - 1), ";\n true -> ", body(Vs, D - 1), " end"]
    end.

fresh() -> N = get(fresh), put(fresh, N + 1), lists:concat(["V", N]).

aop() -> one([" + ", " - ", " * ", " / ", " div ", " rem ", " band ", " bor ", " bxor ", " + ", " - ", " * "]).

cop() -> one([" < ", " > ", " =< ", " >= ", " == ", " /= ", " =:= ", " =/= "]).

guard(Vs) ->
    E = fun() -> gexpr(Vs, r(3)) end,
    case r(10) of
        0 -> [one(["is_integer(", "is_float(", "is_number(", "is_atom("]), E(), ")"];
        1 -> ["not (", E(), cop(), E(), ")"];
        2 -> ["(", E(), cop(), E(), ")", one([" orelse ", " andalso ", " xor ", " or ", " and "]), "(", E(), cop(), E(), ")"];
        _ -> [E(), cop(), E()]
    end.

gexpr(Vs, 0) -> one(Vs ++ [const()]);
gexpr(Vs, D) ->
    E = fun() -> gexpr(Vs, D - 1) end,
    case r(10) of
        0 -> [one(["abs(", "float(", "- (", "+ (", "bnot ("]), E(), ")"];
        1 -> ["(", E(), one([" bsl ", " bsr "]), shift(Vs), ")"];
        _ -> ["(", E(), aop(), E(), ")"]
    end.

shift(Vs) -> one(["1", "3", "58", "59", "60", "61", "63", "64", "-1", "-3", "-60", "-64", "0", ["(", one(Vs), " band 127)"], ["(", one(Vs), " rem 67)"]]).

expr(Vs, D) when D =< 0 -> one(Vs ++ [const()]);
expr(Vs, D) ->
    E = fun() -> expr(Vs, D - 1) end,
    case r(14) of
        0 -> [one(["abs(", "float(", "- (", "+ (", "bnot (", "- (", "math:sqrt("]), E(), ")"];
        1 -> ["(", E(), one([" bsl ", " bsr "]), shift(Vs), ")"];
        2 -> ["(", E(), cop(), E(), ")"];
        3 -> ["{", E(), ", ", E(), "}"];
        4 -> ["[", E(), " | ", E(), "]"];
        5 -> [one(["max(", "min("]), E(), ", ", E(), ")"];
        6 -> ["case ", E(), " of ", lists:join("; ", [[C, " -> ", integer_to_list(N)] || {N, C} <- lists:zip([1,2,3], lists:usort([const() || _ <- lists:seq(1,1)]) ++ [["N", fresh(), " when is_integer(", one(Vs), ")"], "_"])]), " end"];
        7 -> ["(try ", E(), " catch error:_ -> ", E(), " end)"];
        8 -> P = fresh(), ["(case ", E(), " of ", P, " when is_float(", P, ") -> ", expr([P, P | Vs], D - 1), "; ", P, " -> ", expr(Vs, D - 1), " end)"];
        _ -> ["(", E(), aop(), E(), ")"]
    end.
