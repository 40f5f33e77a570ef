%% Writes random modules, to be compiled by the stock compiler and run on two runtimes whose output must agree.
%% `erl -eval 'gen_programs:write("DIR", Seed, Modules, Functions).'` writes DIR/prog_<Seed>_<N>.erl, each with a main/0 that
%% prints what every function in it gives or how it fails. What passes from function to function goes through s/1, which
%% bounds how large it is and how many calls there are, so that no program runs for long.
-module(gen_programs).
-export([write/4, write_one/4]).

write(Dir, Seed, Modules, Functions) ->
    lists:foreach(fun(N) -> write_one(Dir, Seed, N, Functions) end, lists:seq(1, Modules)).

write_one(Dir, Seed, N, Functions) ->
    rand:seed(exsss, Seed * 1000 + N),
    Name = lists:concat(["prog_", Seed, "_", N]),
    ok = file:write_file(filename:join(Dir, Name ++ ".erl"), module(Name, Functions)).

module(Name, Count) ->
    ["%% seed and number are in the name\n-module(", Name, ").\n-export([main/0]).\n-compile([nowarn_unused_vars, nowarn_illegal_guard]).\n",
     "main() ->\n", [io_lib:format("    t(~b, fun() -> f~b(~s, ~s, ~s) end),~n", [N, N, constant(), constant(), constant()]) || N <- lists:seq(1, Count)],
     "    ok.\n\n",
     "t(N, F) ->\n    put(fuel, 2000),\n    R = try s(F()) of V -> {ok, V} catch C:E:S -> {C, E, [{element(2, X), element(3, X), proplists:get_value(line, element(4, X))} || X <- lists:sublist(S, 2)]} end,\n",
     "    io:format(\"~b ~0p~n\", [N, R]).\n\n",
     "id(X) -> X.\n\n",
     "s(T) ->\n    case get(fuel) of\n        0 -> throw(enough);\n        N -> put(fuel, N - 1), case left(T, 200) < 0 of true -> large; false -> T end\n    end.\n\n",
     "left(_, N) when N < 0 -> N;\n",
     "left([H | T], N) -> left(T, left(H, N - 1));\n",
     "left(T, N) when is_tuple(T) -> left(tuple_to_list(T), N);\n",
     "left(T, N) when is_map(T) -> left(maps:to_list(T), N);\n",
     "left(T, N) when is_bitstring(T) -> N - bit_size(T) div 64;\n",
     "left(T, N) when is_integer(T), abs(T) > 1 bsl 1000 -> -1;\n",
     "left(_, N) -> N - 1.\n\n",
     [function(N, Count) || N <- lists:seq(1, Count)]].

function(N, Count) ->
    put(count, Count), put(me, N), put(fresh, 0),
    Clauses = 1 + r(3),
    Name = lists:concat(["f", N]),
    [lists:join(";\n", [clause(Name, I =:= Clauses) || I <- lists:seq(1, Clauses)]), ".\n\n"].

clause(Name, true) -> [Name, "(A, B, C) ->\n    ", body(["A", "B", "C"], 4)];
clause(Name, false) ->
    {P1, V1} = pattern("A", 2), {P2, V2} = pattern("B", 1), {P3, V3} = {"C", ["C"]},
    Vars = V1 ++ V2 ++ V3,
    [Name, "(", P1, ", ", P2, ", ", P3, ") when ", guard(Vars), " ->\n    ", body(Vars, 3)].

body(Vars, Depth) ->
    case r(8) of
        0 -> call(fun() -> ["s(", expr(Vars, Depth - 1), ")"] end, fun() -> expr(Vars, Depth) end);
        N when N < 4 -> V = fresh(), [V, " = ", expr(Vars, Depth - 1), ",\n    ", body([V | Vars], Depth - 1)];
        _ -> expr(Vars, Depth)
    end.

r(N) -> rand:uniform(N) - 1.
one(L) -> lists:nth(rand:uniform(length(L)), L).
fresh() -> N = get(fresh), put(fresh, N + 1), lists:concat(["V", N]).

constant() ->
    one(["0", "1", "-1", "7", "255", "1000", "576460752303423487", "576460752303423488", "1152921504606846975", "-1152921504606846976", "18446744073709551616",
         "1.5", "-0.25", "1.0e100", "a", "ok", "[]", "[1,2,3]", "[a|b]", "{}", "{1,2}", "{ok,[x]}", "<<>>", "<<1,2,3,4>>", "<<5:3>>", "#{}", "#{a => 1}", "\"abc\"", "true", "false"]).

%% A pattern and the variables that it binds.
pattern(Var, 0) -> {Var, [Var]};
pattern(Var, Depth) ->
    case r(9) of
        0 -> {["[", Var, "H | ", Var, "T]"], [Var ++ "H", Var ++ "T"]};
        1 -> {P, Vs} = pattern(Var ++ "_1", Depth - 1), {["{", P, ", ", Var, "_2} = ", Var], [Var, Var ++ "_2" | Vs]};
        2 -> {["#{a := ", Var, "M} = ", Var], [Var, Var ++ "M"]};
        3 -> {["<<", Var, "X:", integer_to_list(1 + r(20)), one(["", "/little", "/signed"]), ", ", Var, "R/bits>>"], [Var ++ "X", Var ++ "R"]};
        4 -> {[one(["0", "a", "[]", "{}", "<<>>", "1.5", "true"]), " = ", Var], [Var]};
        _ -> {Var, [Var]}
    end.

guard(Vars) ->
    V = fun() -> one(Vars) end,
    case r(9) of
        0 -> [one(["is_integer(", "is_atom(", "is_list(", "is_tuple(", "is_map(", "is_binary(", "is_float(", "is_number("]), V(), ")"];
        1 -> [V(), one([" < ", " > ", " =:= ", " == ", " =/= ", " >= "]), V()];
        2 -> ["is_integer(", V(), "), ", V(), one([" > 3", " < 100", " =/= 0"])];
        3 -> ["length(", V(), ") > 1"];
        4 -> ["element(1, ", V(), ") =:= ", one(["1", "ok", V()])];
        5 -> [V(), " + ", V(), " > 0"];
        6 -> ["is_atom(", V(), "); is_list(", V(), ")"];
        7 -> ["map_get(a, ", V(), ") =:= 1 orelse is_float(", V(), ")"];
        8 -> ["byte_size(", V(), ") > 2 andalso not is_atom(", V(), ")"]
    end.

expr(Vars, Depth) when Depth =< 0 ->
    case r(3) of
        0 -> constant();
        _ -> one(Vars)
    end;
expr(Vars, Depth) ->
    case r(3) of
        0 -> ["(try ", plain(Vars, Depth), " catch _:_ -> ", constant(), " end)"];
        _ -> plain(Vars, Depth)
    end.

%% A call of one of the next functions, with arguments that Argument makes; Otherwise, where there are no more.
call(Argument, Otherwise) ->
    case get(me) + 1 + r(5) of
        N -> case N =< get(count) of
                 true -> ["f", integer_to_list(N), "(", Argument(), ", ", Argument(), ", ", Argument(), ")"];
                 false -> Otherwise()
             end
    end.

%% Half of what is written fails; the try above keeps failures from hiding everything behind them.
plain(Vars, Depth) ->
    E = fun() -> expr(Vars, Depth - 1) end,
    V = fun() -> one(Vars) end,
    case r(26) of
        0 -> ["(", E(), one([" + ", " - ", " * "]), E(), ")"];
        1 -> ["(", E(), one([" div ", " rem ", " / ", " band ", " bor ", " bxor "]), E(), ")"];
        2 -> ["[", E(), " | ", E(), "]"];
        3 -> ["{", E(), ", ", E(), "}"];
        4 -> ["[", E(), ", ", E(), ", ", E(), "]"];
        5 -> ["#{", E(), " => ", E(), ", a => ", E(), "}"];
        6 -> ["(id(", E(), "))#{", one(["a", V()]), one([" => ", " := "]), E(), "}"];
        7 -> ["<<(", E(), "):", one(["8", "16", "3", "40", "70/little", "64/float", "8/signed"]), ", ", one(["1", "(id(<<9:5>>))/bits", "\"str\""]), ">>"];
        8 -> P = fresh(), {Pat, Vs} = pattern(P, 2), ["case ", E(), " of\n        ", Pat, " when ", guard(Vs ++ Vars), " -> ", expr(Vs ++ Vars, Depth - 1), ";\n        _ -> ", E(), "\n    end"];
        9 -> ["case id(", E(), ") of a -> ", E(), "; ok -> 1; true -> ", E(), "; false -> 3; 7 -> ", E(), "; 255 -> x; 0 -> y; 1 -> z; _ -> ", E(), " end"];
        10 -> P = fresh(), ["try ", E(), " catch ", one(["error:", "throw:", "exit:", "_:"]), P, " -> {caught, ", P, "} end"];
        11 -> ["begin (catch ", one(["throw", "error", "exit"]), "(", E(), ")), ", E(), " end"];
        12 -> ["if ", guard(Vars), " -> ", E(), "; true -> ", E(), " end"];
        13 -> P = fresh(), ["[", expr([P | Vars], Depth - 1), " || ", P, " <- ", one([V(), "[1,2,3]", "lists:seq(1, 5)", E()]), "]"];
        14 -> P = fresh(), ["(fun(", P, ") -> ", expr([P | Vars], Depth - 1), " end)(", E(), ")"];
        15 -> P = fresh(), ["lists:map(fun(", P, ") -> ", expr([P | Vars], Depth - 2), " end, id(", one([V(), "[3,2,1]", "[a,1.0]"]), "))"];
        16 -> [one(["hd", "tl", "length", "tuple_size", "abs", "byte_size", "is_list", "trunc", "float", "not ", "- "]), "(", E(), ")"];
        17 -> ["element(", one(["1", "2", V()]), ", ", E(), ")"];
        18 -> ["setelement(", one(["1", "2"]), ", ", E(), ", ", E(), ")"];
        19 -> ["(", E(), one([" =:= ", " == ", " < ", " >= ", " =/= "]), E(), ")"];
        20 -> ["(", E(), one([" ++ ", " -- "]), E(), ")"];
        21 -> ["(", E(), one([" andalso ", " orelse ", " and ", " or "]), E(), ")"];
        22 -> ["s(", call(fun() -> ["s(", E(), ")"] end, E), ")"];
        23 -> P = fresh(), ["begin ", P, " = ", E(), ", self() ! {m, ", P, "}, receive {m, ", P, "r} -> ", expr([P, P ++ "r" | Vars], Depth - 1), " end end"];
        24 -> ["(", E(), one([" bsl ", " bsr "]), "(", V(), " band 63))"];
        25 -> P = fresh(), ["<< <<", P, "x:5>> || <<", P, "x:7>> <= id(", one([V(), "<<1,2,3,4,5,6,7>>"]), ") >>"]
    end.
