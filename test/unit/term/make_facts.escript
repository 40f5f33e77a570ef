#!/usr/bin/env escript
%% -*- erlang -*-
-mode(compile).
%% Asks the stock runtime (OTP 25) for the facts that the tests of src/term compare with; writes facts/*.txt.
%% Run in this folder. Terms are written in the external format, in hexadecimal; one fact a line.

main(_) ->
    rand:seed(exsss, {1, 2, 3}),
    hash(), order(order_terms(), "order.txt", fun compare/2), order(order_terms(), "exact.txt", fun erts_internal:cmp_term/2),
    arith(), unary(), maps_order(), floats(), parse(), segments().

hex(T) -> hexb(term_to_binary(T, [{minor_version, 2}])).
hexb(B) -> [string:lowercase(io_lib:format("~2.16.0b", [X])) || <<X>> <= B].
write(File, Lines) -> ok = file:write_file("facts/" ++ File, Lines).
compare(A, B) -> if A < B -> -1; A == B -> 0; true -> 1 end.

hash() -> write("hash.txt", [[hex(T), $\s, integer_to_list(erlang:phash2(T, 1 bsl 32)), $\s,
                             integer_to_list(erlang:phash(T, 1 bsl 32)), $\n] || T <- hash_terms()]).

ints() -> lists:usort([S * ((1 bsl N) + D) || N <- [0, 1, 7, 8, 15, 16, 26, 27, 28, 31, 32, 33, 52, 53, 58, 59, 60, 61, 62, 63,
                                                  64, 65, 95, 96, 127, 128, 129, 200, 256], D <- [-1, 0, 1], S <- [1, -1]]).
reals() -> [0.0, -0.0, 1.0, -1.0, 1.5, 0.1, 1.0e22, 1.0e100, 1.0e300, -1.0e300, 5.0e-324, 2.2250738585072014e-308, 1.0e-100,
            1.7976931348623157e308, 9007199254740992.0, 9007199254740993.0, 1.8446744073709552e19, 1.157920892373162e77,
            8.636168555094445e-78, 4.0, 1152921504606846976.0, -1152921504606846976.0, 2.5, -2.5, 0.5, 123456.789].
atoms() -> ['', a, b, ab, abc, abcd, abce, abcde, 'A', 'Aa', ok, 'hello world', 'å', 'äö', 'ÿ', 'Ā', '日本', 'nonode@nohost', true, false,
            list_to_atom(lists:duplicate(255, $x)), list_to_atom(lists:duplicate(254, $x)), 'ab\x{100}', 'ab\x{ff}'].
bits() -> [<<>>, <<0>>, <<1>>, <<255>>, <<0:1>>, <<1:1>>, <<5:3>>, <<1, 2, 3>>, <<1, 2, 3, 4:4>>, <<"hello">>, <<"hello world!">>,
           <<"hello world">>, binary:copy(<<"0123456789ab">>, 3), binary:copy(<<"0123456789ab">>, 30), <<0:77>>, <<1:77>>, <<1:1000>>,
           <<0, 0>>, <<0:9>>].
idents() -> [pid(a@b, 1, 2, 3), pid(a@b, 2, 1, 3), pid(b@a, 1, 2, 3), pid(a@b, 1, 2, 4), pid(a@b, 1, 0, 3),
             pid(nonode@nohost, 5, 0, 0), pid(nonode@nohost, 5, 1, 0), pid(nonode@nohost, 6, 0, 0), pid(a@b, 268435455, 8191, 3),
             port(a@b, 1, 3), port(a@b, 2, 3), port(b@a, 1, 3), port(nonode@nohost, 5, 0), port(a@b, 1 bsl 33, 3), port(a@b, 3, 4),
             ref(a@b, [1, 2, 3], 3), ref(a@b, [2, 1, 3], 3), ref(a@b, [1, 1, 3], 3), ref(b@a, [1, 2, 3], 3), ref(nonode@nohost, [1, 2, 3], 0),
             ref(nonode@nohost, [1, 2, 4], 0), ref(nonode@nohost, [100, 2, 3], 0), ref(a@b, [1], 3), ref(a@b, [1, 2], 3), ref(a@b, [1, 2, 3, 4, 5], 3)].
pid(N, Num, Ser, C) -> binary_to_term(<<131, 88, (atom_ext(N))/binary, Num:32, Ser:32, C:32>>).
port(N, Id, C) -> binary_to_term(<<131, 120, (atom_ext(N))/binary, Id:64, C:32>>).
ref(N, Ids, C) -> binary_to_term(<<131, 90, (length(Ids)):16, (atom_ext(N))/binary, C:32, << <<I:32>> || I <- Ids >>/binary>>).
atom_ext(N) -> <<131, A/binary>> = term_to_binary(N), A.
maps_() -> [#{}, #{a => 1}, #{a => 2}, #{b => 1}, #{1 => 1}, #{1.0 => 1}, #{a => 1, b => 2}, #{a => 1.0, b => 2}, #{1 => a, 1.0 => b},
            m(32), m(33), m(40), (m(40))#{7 => x}, (m(40))#{7 => 7.0}, m(200), maps:from_list([{{I}, [I]} || I <- lists:seq(1, 50)]),
            #{m(40) => m(50)}, #{"abc" => <<"abc">>, 1.5 => {}}].
m(N) -> maps:from_list([{I, I} || I <- lists:seq(1, N)]).
funs() -> [fun lists:map/2, fun lists:map/3, fun lists:foldl/3, fun erlang:'+'/2].
lists_() -> [[], [a], [1], [1, 2, 3], [1, 2, 3, 4], "hello", "hello world", [300, 1, 2], [1, 2, 3, 4, 5, x], [1 | 2], [a | b], [[]], [[[]]], [1, 2 | 3],
             [1, 2, 3, 4 | 5], "abc" ++ [1000], [[1], [2]], [{a, 1}, {b, 2}], lists:seq(1, 30), [255, 256], [-1], [0], [1.0], [1, 2.0]].
tuples() -> [{}, {a}, {1}, {1.0}, {1, 2}, {a, b, c}, {{}}, {[]}, {"abc", <<"abc">>, 1.0, #{}}, list_to_tuple(lists:seq(1, 100)), {1, {2, {3, {4}}}}].
base() -> ints() ++ reals() ++ atoms() ++ bits() ++ idents() ++ maps_() ++ funs() ++ lists_() ++ tuples().
hash_terms() -> base() ++ [random_term(3) || _ <- lists:seq(1, 40)].

order_terms() -> Thin = [X || {I, X} <- lists:zip(lists:seq(1, length(ints())), ints()), I rem 3 =/= 0],
                 Thin ++ reals() ++ atoms() ++ bits() ++ idents() ++ maps_() ++ funs() ++ lists_() ++ tuples() ++
                 [random_term(2) || _ <- lists:seq(1, 25)] ++ [float(1 bsl 70), (1 bsl 70), (1 bsl 70) + 1, 1.0e308, 1 bsl 1023, 1 bsl 1024, 1 bsl 1100].

%% Terms in order, each with its class: equal ones have the same.
order(Terms, File, Cmp) ->
    Sorted = lists:sort(fun(A, B) -> Cmp(A, B) =< 0 end, Terms),
    {Lines, _} = lists:mapfoldl(fun(T, {P, N}) ->
                                    M = case P =/= none andalso Cmp(element(2, P), T) =:= 0 of true -> N; false -> N + 1 end,
                                    {[hex(T), $\s, integer_to_list(M), $\n], {{p, T}, M}} end, {none, 0}, Sorted),
    write(File, Lines).

random_term(0) -> random_leaf();
random_term(N) ->
    case rand:uniform(8) of
        1 -> [random_term(N - 1) || _ <- lists:seq(1, rand:uniform(4))];
        2 -> list_to_tuple([random_term(N - 1) || _ <- lists:seq(1, rand:uniform(4))]);
        3 -> maps:from_list([{random_term(N - 1), random_term(N - 1)} || _ <- lists:seq(1, rand:uniform(3))]);
        4 -> [random_term(N - 1) | random_leaf()];
        5 -> [rand:uniform(256) - 1 || _ <- lists:seq(1, rand:uniform(10))];
        _ -> random_leaf()
    end.
random_leaf() -> L = case rand:uniform(5) of 1 -> ints(); 2 -> reals(); 3 -> atoms(); 4 -> bits(); 5 -> [[], {}, #{}, a, 1, 2, 1.0] end,
                 lists:nth(rand:uniform(length(L)), L).

result(F) -> try hex(F()) catch error:E -> atom_to_list(E) end.
arith() ->
    Ns = [0, 1, -1, 2, 3, -7, 10, 63, 64, 65, -64, (1 bsl 59) - 1, 1 bsl 60, (1 bsl 60) - 1, -(1 bsl 60), -(1 bsl 60) - 1, 1 bsl 64, -(1 bsl 64), (1 bsl 64) - 1,
          (1 bsl 128) - 1, -(1 bsl 128) + 12345, 123456789012345678901234567890, 1.5, -0.0, 1.0e300, a],
    Ops = [{"+", fun erlang:'+'/2}, {"-", fun erlang:'-'/2}, {"*", fun erlang:'*'/2}, {"/", fun erlang:'/'/2}, {"div", fun erlang:'div'/2},
           {"rem", fun erlang:'rem'/2}, {"band", fun erlang:'band'/2}, {"bor", fun erlang:'bor'/2}, {"bxor", fun erlang:'bxor'/2},
           {"bsl", fun(_, B) when is_integer(B), abs(B) > 200 -> throw(skip); (A, B) -> A bsl B end},
           {"bsr", fun(_, B) when is_integer(B), B < -200 -> throw(skip); (A, B) -> A bsr B end}],
    write("arith.txt", [try [Name, $\s, hex(A), $\s, hex(B), $\s, result(fun() -> F(A, B) end), $\n] catch throw:skip -> [] end
                        || {Name, F} <- Ops, A <- Ns, B <- Ns, keep(Name)]).
keep(N) when N =:= "bor"; N =:= "bxor"; N =:= "rem"; N =:= "-"; N =:= "/" -> rand:uniform(16) =:= 1;
keep(_) -> rand:uniform(8) =:= 1.
unary() ->
    Ops = [{"bnot", fun erlang:'bnot'/1}, {"neg", fun erlang:'-'/1}, {"abs", fun erlang:abs/1}, {"float", fun erlang:float/1}, {"round", fun erlang:round/1},
           {"trunc", fun erlang:trunc/1}, {"ceil", fun erlang:ceil/1}, {"floor", fun erlang:floor/1}],
    Extra = [0.49999999999999994, -0.5, -1.5, 3.5, 4503599627370497.5, (1 bsl 300) + (1 bsl 247) + 1, (1 bsl 1024) - (1 bsl 970), 1 bsl 1023, 1 bsl 1024, a],
    write("unary.txt", [[Name, $\s, hex(A), $\s, result(fun() -> F(A) end), $\n] || {Name, F} <- Ops, A <- thin(ints()) ++ thin(reals()) ++ Extra]).
thin(L) -> [X || X <- L, rand:uniform(12) =:= 1].

%% The order in which large maps are walked: keys of the map, as one list.
maps_order() ->
    Keys = [lists:seq(1, 40), lists:seq(-50, 50), [I * 1000000007 || I <- lists:seq(1, 60)], [{I, I + 1} || I <- lists:seq(1, 50)],
            [integer_to_list(I) || I <- lists:seq(1, 50)], [integer_to_binary(I) || I <- lists:seq(1, 50)], [I * 0.5 || I <- lists:seq(1, 50)],
            [1 bsl I || I <- lists:seq(1, 120)], [[I, [I]] || I <- lists:seq(1, 40)],
            [#{I => I} || I <- lists:seq(1, 40)], [#{I => [I], I + 1.0 => {}} || I <- lists:seq(1, 40)]],
    write("maps.txt", [[hex([K || {K, _} <- maps:to_list(maps:from_list([{K, x} || K <- Ks]))]), $\s, hex(maps:keys(maps:from_list([{K, x} || K <- Ks]))), $\n]
                       || Ks <- Keys]).

floats() ->
    Random = [F || _ <- lists:seq(1, 25), <<F/float>> <- [rand:bytes(8)]],
    Short = [rand:uniform(100000) / 1000 || _ <- lists:seq(1, 40)] ++ [math:pow(10, E) || E <- lists:seq(-7, 23)] ++
            [rand:uniform() || _ <- lists:seq(1, 30)] ++ [float(rand:uniform(1 bsl 60)) || _ <- lists:seq(1, 20)] ++ [float(1 bsl N) || N <- lists:seq(50, 75)],
    write("floats.txt", [[hexb(<<F/float>>), $\s, float_to_list(F), $\s, float_to_list(F, [short]), $\s, d(F, [{decimals, 3}]), $\s,
                          d(F, [{decimals, 3}, compact]), $\s, d(F, [{decimals, 18}, compact]), $\s, d(F, [{decimals, 19}]), $\s, d(F, [{scientific, 5}]), $\s, d(F, [{scientific, 0}]), $\s,
                          d(F, [{decimals, 0}]), $\n] || F <- reals() ++ Short ++ Random]).
d(F, O) -> try float_to_list(F, O) catch error:E -> atom_to_list(E) end.

parse() ->
    L = ["1.0", "1", "1.", "+1.5", "-1.5e3", "1.5E+03", "1.5e-400", "1.5e400", ".5", "1.e5", "1e5", "0001.5", "1.5e", "1.5e+", "1.0e308", "2.0e308", "-0.0",
         "1_0.0", "1,0", "1.0x", "--1.0", "+-1.0", "1..0", "1.0e1.0", "0.1", "0.3", "123456789012345678901234567890.0", "1.7976931348623158e308",
         "1.7976931348623159e308", "4.9406564584124654e-324", "2.4e-324", "1.0E5", "1.0e-5", "1.0e00005", "", "-", "1.0e+-5", "inf.0", "nan", "0x1.0", "1.0p5"],
    write("parse.txt", [[S, $|, try hexb(<<(list_to_float(S))/float>>) catch error:badarg -> "badarg" end, $\n] || S <- L]).


%% Integer segments of many sizes.
segments() ->
    Values = [0, 1, -1, 5, 255, 256, -256, 65535, 1 bsl 60, -(1 bsl 60), (1 bsl 64) - 1, -(1 bsl 64), 16#123456789abcdef0123456789abcdef012345, -16#123456789abcdef0123456789abcdef012345],
    Sizes = [1, 3, 7, 8, 9, 12, 16, 17, 23, 24, 32, 33, 40, 57, 63, 64, 65, 71, 72, 100, 128, 130, 200],
    write("segments.txt", [segment(V, S, O) || V <- Values, S <- Sizes, O <- [0, 3], rand:uniform(7) =:= 1]).
segment(V, S, O) ->
    B = <<0:O, V:S>>, L = <<0:O, V:S/little>>,
    <<_:O, BU:S>> = B, <<_:O, BS:S/signed>> = B, <<_:O, LU:S/little>> = L, <<_:O, LS:S/little-signed>> = L,
    [io_lib:format("~b ~b ", [S, O]), lists:join($\s, [hex(T) || T <- [V, B, L, BU, BS, LU, LS]]), $\n].
