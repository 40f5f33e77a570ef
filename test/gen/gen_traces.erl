%% Writes random modules that fail in all ways: by calls of all kinds, in and out of handlers, caught, raised again, or
%% not caught. Each function is called in place and in a process of its own, and the whole trace is printed, with its lines
%% and arguments. `erl -eval 'gen_traces:write_one("DIR", Seed, N, Functions).'` writes DIR/traces_<Seed>_<N>.erl, to be
%% compiled by the stock compiler and run on two runtimes whose output must agree. What passes from function to function
%% goes through s/1, which bounds how large it is.
-module(gen_traces).
-export([write_one/4]).

write_one(Dir, Seed, N, Count) ->
    rand:seed(exsss, Seed * 1000 + N),
    Name = lists:concat(["traces_", Seed, "_", N]),
    put(count, Count),
    Opts = lists:nth(1 + N rem 6, ["", "", ", no_type_opt", ", r23", ", r22", ", inline"]),
    ok = file:write_file(filename:join(Dir, Name ++ ".erl"), [
     "-module(", Name, ").\n-export([main/0, id/1, add/2, ext/3, none2/0]).\n-compile([nowarn_unused_vars, nowarn_illegal_guard, nowarn_failed, nowarn_nomatch", Opts, "]).\n-record(r, {a, b = 2, c}).\n",
     "main() -> logger:set_primary_config(level, none), {P, M} = spawn_monitor(fun() -> go() end), receive {'DOWN', M, _, _, R} -> io:format(\"~w~n\", [R]) end.\ngo() ->\n", [[io_lib:format("    t(~b, fun() -> f~b(~s, ~s) end),~n", [I, I, constant(), constant()]) || _ <- [1,2,3]] || I <- lists:seq(1, Count)],
     "    ok.\n\n",
     "t(N, F) ->\n    put(fuel, 300),\n    R = try s(F()) of V -> {ok, V} catch C:E:S -> {C, E, cut(S)} end,\n",
     "    {P, M} = spawn_monitor(fun() -> put(fuel, 300), F() end),\n",
     "    W = receive {'DOWN', M, process, P, {X, [_ | _] = St}} -> {X, catch cut(St)}; {'DOWN', M, process, P, X} -> X end,\n",
     "    flush(),\n",
     "    io:format(\"~b ~w ~w~n\", [N, n(R), n(W)]).\n\n",
     "n(P) when is_pid(P) -> pid; n(R) when is_reference(R) -> ref; n([H | T]) -> [n(H) | n(T)]; n(T) when is_tuple(T) -> list_to_tuple(n(tuple_to_list(T))); n(M) when is_map(M) -> {map, n(lists:sort(maps:to_list(M)))};\n",
     "n(F) when is_function(F) -> {function, [element(2, erlang:fun_info(F, K)) || K <- [module, arity]]}; n(X) -> X.\n",
     "flush() -> receive _ -> flush() after 0 -> ok end.\n",
     "cut(S) -> lists:takewhile(fun({_, t, _, _}) -> false; (_) -> true end, [{M, F, A, lists:keydelete(file, 1, L)} || {M, F, A, L} <- S]).\n",
     "id(X) -> X.\nadd(X, Y) -> X + Y.\next(X, Y, Z) -> {X, Y, Z}.\nnone2() -> exit(none).\n",
     "s(T) ->\n    case get(fuel) of\n        0 -> throw(enough);\n        N -> put(fuel, N - 1), case left(T, 200) < 0 of true -> large; false -> T end\n    end.\n\n",
     "left(_, N) when N < 0 -> N;\n",
     "left([H | T], N) -> left(T, left(H, N - 1));\n",
     "left(T, N) when is_tuple(T) -> left(tuple_to_list(T), N);\n",
     "left(T, N) when is_map(T) -> left(maps:to_list(T), N);\n",
     "left(T, N) when is_bitstring(T) -> N - bit_size(T) div 64;\n",
     "left(T, N) when is_integer(T), abs(T) > 1 bsl 1000 -> -1;\n",
     "left(_, N) -> N - 1.\n\n",
     [function(I) || I <- lists:seq(1, Count)]]).

r(N) -> rand:uniform(N) - 1.

one(L) -> lists:nth(rand:uniform(length(L)), L).

fresh() -> N = get(fresh), put(fresh, N + 1), lists:concat(["V", N]).

constant() -> one(["0", "1", "-1", "2", "a", "b", "ok", "[]", "[1,2,3]", "[a|b]", "{}", "{1,2}", "{ok,[x]}", "<<>>", "<<1,2>>", "#{}", "#{a => 1}", "#{a => 1, b => [c]}", "true", "false", "1.5", "fun id/1", "fun ?MODULE:add/2", "fun ?MODULE:nothing/1", "fun erlang:abs/1", "#r{a = 1}", "{a, b, c}", "1 bsl 60", "\"abc\"", "[{a, 1}]"]).

function(I) ->
    put(me, I), put(fresh, 0),
    Name = io_lib:format("f~b", [I]),
    Cs = [clause(Name, last) || one([1,1,0]) =:= 1] ++ [],
    L = [clause(Name, some) || _ <- lists:seq(1, r(3))] ++ Cs,
    case L of [] -> [clause(Name, last), ".\n\n"]; _ -> [lists:join(";\n", L), ".\n\n"] end.

clause(Name, last) -> [Name, "(A, B) ->\n    ", body(["A", "B"], 4)];
clause(Name, some) -> {P, Vs} = pattern("A", 2), [Name, "(", P, ", B) when ", guard(["B" | Vs]), " ->\n    ", body(["B" | Vs], 3)].

pattern(V, 0) -> {V, [V]};
pattern(V, D) ->
    case r(11) of
        0 -> {["[", V, "H | ", V, "T]"], [V ++ "H", V ++ "T"]};
        1 -> {P, Vs} = pattern(V ++ "_1", D - 1), {["{", P, ", ", V, "_2} = ", V], [V, V ++ "_2" | Vs]};
        2 -> {["#{a := ", V, "M} = ", V], [V, V ++ "M"]};
        3 -> {["#r{a = ", V, "R} = ", V], [V, V ++ "R"]};
        4 -> {[one(["0", "a", "[]", "{}", "true", "1.5"]), " = ", V], [V]};
        5 -> {["{ok, ", V, "O}"], [V ++ "O"]};
        6 -> {["#{a := _, b := ", V, "M}"], [V ++ "M"]};
        _ -> {V, [V]}
    end.

guard(Vs) ->
    V = one(Vs),
    case r(8) of
        0 -> [one(["is_integer", "is_atom", "is_list", "is_tuple", "is_map", "is_function", "is_float"]), "(", V, ")"];
        1 -> [V, one([" < ", " >= ", " =:= ", " == ", " =/= "]), one(Vs)];
        2 -> ["is_function(", V, ", ", one(["0", "1", "2"]), ")"];
        3 -> ["hd(", V, ") =:= 1; is_atom(", V, ")"];
        4 -> ["tuple_size(", V, ") > 1 orelse is_map_key(a, ", V, ")"];
        5 -> ["is_record(", V, ", r)"];
        _ -> "true"
    end.

body(Vs, D) ->
    case r(7) of
        0 -> V = fresh(), [V, " = ", expr(Vs, D - 1), ",\n    ", body([V | Vs], D - 1)];
        1 -> V = fresh(), [V, " = ", expr(Vs, D - 1), ",\n    ", body([V | Vs], D - 1)];
        2 -> {P, Ps} = pattern(fresh(), 2), [P, " = ", expr(Vs, D - 1), ",\n    ", body(Ps ++ Vs, D - 1)];
        3 -> [expr(Vs, D - 1), ",\n    ", body(Vs, D - 1)];
        _ -> expr(Vs, D)
    end.

expr(Vs, D) when D =< 0 -> case r(3) of 0 -> constant(); _ -> one(Vs) end;
expr(Vs, D) ->
    E = fun() -> expr(Vs, D - 1) end,
    V = fun() -> one(Vs) end,
    case r(40) of
        0 -> [fname(), "(", E(), ", ", E(), ")"];
        1 -> [fname(), "(", V(), ", ", V(), ")"];
        2 -> ["?MODULE:", one(["id(", "nothing(", "add(1, "]), E(), ")"];
        3 -> [one(["lists:nth(1, ", "maps:get(a, ", "lists:reverse(", "lists:map(fun id/1, ", "maps:keys(", "lists:sum(", "maps:from_list(", "lists:keyfind(a, 1, ", "erlang:list_to_tuple(", "binary:first(", "lists:last(", "length(", "list_to_atom(", "tuple_to_list(", "atom_to_list(", "maps:update(zz, 1, ", "integer_to_list(", "erlang:phash2("]), E(), ")"];
        4 -> ["(", V(), ")(", lists:join(", ", [E() || _ <- lists:seq(1, r(3))]), ")"];
        5 -> ["apply(", E(), ", ", one([["[", E(), "]"], ["[", E(), ", ", E(), "]"], V()]), ")"];
        6 -> ["apply(?MODULE, ", one(["id", "add", "ext", "nothing", V()]), ", ", one([["[", E(), "]"], ["[", E(), ", ", E(), "]"], V()]), ")"];
        7 -> ["(id(", one(["?MODULE", "nomod", V()]), ")):", one(["id", "add", "(" ++ V() ++ ")"]), "(", lists:join(", ", [E() || _ <- lists:seq(1, r(3))]), ")"];
        8 -> F = fresh(), X = fresh(), ["begin ", F, " = fun(", X, ") -> ", expr([X | Vs], D - 1), " end, ", F, "(", E(), ") end"];
        9 -> F = fresh(), X = fresh(), ["(fun ", F, "(", X, ") when is_list(", X, "), ", X, " =/= [] -> ", F, "(tl(", X, ")); ", F, "(", X, ") -> ", expr([X | Vs], D - 1), " end)(", E(), ")"];
        10 -> P = fresh(), ["try ", E(), " of {ok, ", P, "} -> ", expr([P | Vs], D - 1), " catch ", one(["error", "throw", "exit", "_"]), ":_ -> ", E(), " end"];
        11 -> P = fresh(), ["try ", E(), " catch ", one(["error", "throw", "_"]), ":", P, ":", P, "S -> {", P, ", cut(", P, "S), ", expr([P | Vs], D - 1), "} end"];
        12 -> ["try ", E(), " after ", E(), " end"];
        13 -> ["(catch ", E(), ")"];
        14 -> C = fresh(), ["try ", E(), " catch ", C, ":", C, "E:", C, "S -> erlang:raise(", one([C, "error", "exit"]), ", ", C, "E, ", C, "S) end"];
        15 -> [one(["error(", "throw(", "exit(", "erlang:error("]), E(), ")"];
        16 -> ["erlang:error(", E(), ", ", one(["[a]", "none", "[1, {2}]", V()]), ")"];
        17 -> {P, Ps} = pattern(fresh(), 2), ["case ", E(), " of ", P, " when ", guard(Ps ++ Vs), " -> ", expr(Ps ++ Vs, D - 1), one(["", ["; _ -> ", E()]]), " end"];
        18 -> ["if ", guard(Vs), " -> ", E(), one(["", ["; true -> ", E()]]), " end"];
        19 -> ["(", E(), one([" + ", " - ", " * ", " div ", " rem ", " / ", " ++ ", " -- ", " and ", " andalso ", " orelse ", " band "]), V(), ")"];
        20 -> [one(["not ", "- ", "bnot "]), "(", E(), ")"];
        21 -> ["(", E(), ")#{", one(["a", "b", V()]), one([" => ", " := "]), E(), "}"];
        22 -> ["(", V(), ")#r{", one(["a", "b"]), " = ", E(), "}"];
        23 -> ["(", V(), ")#r.", one(["a", "b"])];
        24 -> X = fresh(), ["[", expr([X | Vs], D - 1), " || ", X, " <- ", E(), one(["", [", ", lists:join(" orelse ", string:split(lists:flatten(guard([X | Vs])), ";"))], [", (", V(), ")"]]), "]"];
        25 -> [one(["hd(", "tl(", "element(1, ", "element(2, ", "tuple_size(", "byte_size(", "abs(", "map_size(", "is_list(", "map_get(a, ", "setelement(1, {1}, ", "float(", "trunc("]), E(), ")"];
        26 -> ["{", E(), ", ", E(), "}"];
        27 -> ["[", E(), " | ", E(), "]"];
        28 -> ["#{a => ", E(), ", ", V(), " => ", E(), "}"];
        29 -> X = fresh(), ["begin self() ! ", E(), ", receive ", X, " when ", guard([X | Vs]), " -> ", expr([X | Vs], D - 1), " after ", one(["0", "1", V()]), " -> ", E(), " end end"];
        30 -> ["begin ", E(), ", ", E(), " end"];
        31 -> ["<<(", E(), "):8, (", V(), ")/binary>>"];
        32 -> ["s(", E(), ")"];
        33 -> X = fresh(), ["lists:foldl(fun(", X, ", ", X, "A) -> ", expr([X, X ++ "A" | Vs], D - 1), " end, ", E(), ", ", one([V(), "[1,2,3]", "[a, b]"]), ")"];
        34 -> ["case id(", E(), ") of a -> ", E(), "; b -> ", E(), "; ok -> 1; 1 -> ", E(), "; 2 -> 3", one(["", "; _ -> else"]), " end"];
        35 -> ["(", E(), one([" < ", " == ", " =:= ", " >= ", " =/= "]), E(), ")"];
        36 -> ["begin spawn(fun() -> ok end), ", E(), " end"];
        37 -> ["erlang:", one(["apply(fun id/1, [", "max(1, [", "make_fun(?MODULE, id, [", "setelement(1, {1, 2}, ["]), E(), "])"];
        38 -> ["(", V(), " xor ", E(), ")"];
        39 -> ["list_to_", one(["integer", "float", "binary", "existing_atom"]), "(", E(), ")"]
    end.

fname() -> Me = get(me), C = get(count), case Me + 1 + r(6) of N when N =< C -> lists:concat(["f", N]); _ -> "add" end.
