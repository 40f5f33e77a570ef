%% Random match specifications, good and bad ones, with erlang:match_spec_test/3: results, flags, warnings, the words that
%% they are refused for, and what is left of actions. VIV_SEED and VIV_CASES choose the seed and the number of them.
%% Not among them: no arguments at all (the stock runtime's memory suffers from some such tests), variables of large
%% numbers (it renumbers those in the words), maps of more than 32 keys, pids and references in errors.
-module(gen_trace_specs).
-export([main/0]).

main() ->
    Seed = env("VIV_SEED", 1), N = env("VIV_CASES", 5000),
    rand:seed(exsss, Seed),
    put(tracer, T = spawn(fun() -> receive x -> x end end)),
    put(names, #{self() => self, T => tracer}),
    loop(1, N).
env(Name, Default) -> case os:getenv(Name) of false -> Default; Text -> list_to_integer(Text) end.
loop(I, N) when I > N -> ok;
loop(I, N) ->
    D = case r(20) of 0 -> one([foo, [], 1]); X when X < 8 -> table; _ -> trace end,
    put(dialect, D),
    S = spec(), O = object(D),
    R = try erlang:match_spec_test(O, S, D) of V -> V catch K:E:St -> {K, E, cause(St)} end,
    io:format("~p ~0p ~0p ~p~n    ~0p~n", [I, norm(O), norm(S), D, norm(R)]),
    case {erlang:trace_info(self(), flags), seq_trace:get_token(), erlang:system_info(trace_control_word)} of
        {{flags, []}, [], 0} -> ok;
        After ->
            io:format("    ~0p~n", [norm(After)]), erlang:trace(self(), false, [all]), seq_trace:set_token([]), erlang:system_flag(trace_control_word, 0)
    end,
    loop(I + 1, N).
cause([{M,F,A,I}|_]) -> {M,F,if is_list(A) -> length(A); true -> A end,I}.
r(N) -> rand:uniform(N) - 1.
one(L) -> lists:nth(rand:uniform(length(L)), L).
object(trace) -> case r(12) of 0 -> one([foo, {a,b}, [a|b], 1]); _ -> [value(2) || _ <- lists:seq(1, one([1,1,2,2,2,3]))] end;
object(table) -> case r(12) of 0 -> value(2); _ -> list_to_tuple([value(2) || _ <- lists:seq(1, one([0,1,2,2,2,3]))]) end;
object(_) -> value(2).
value(0) -> one([a, b, true, false, 0, 1, 2, -1, 1.0, 2.5, [], "ab", <<>>, <<"abc">>, <<5:3>>, 1 bsl 70, x, #{}, '_', '$1', undefined, ok, {}]);
value(D) -> case r(6) of 0 -> list_to_tuple([value(D-1) || _ <- lists:seq(1, r(4))]); 1 -> [value(D-1) || _ <- lists:seq(1, r(4))]; 2 -> maps:from_list([{value(0), value(D-1)} || _ <- lists:seq(1, r(4))]);
   3 -> case r(3) of 0 -> [value(D-1) | value(D-1)]; _ -> ok end; _ -> value(0) end.
spec() ->
    case r(25) of
        0 -> one([foo, [], [foo], [[]], {}, [{'_', []}], [{a,b,c,d}], [{'_', [], []} | foo], [{'_', [], []}, foo], 1, [{'_',[],[]}, {'_', []}], #{}]);
        _ -> [clause() || _ <- lists:seq(1, one([1,1,1,2,3]))]
    end.
clause() ->
    G = case r(20) of 0 -> wrong_list(); N when N < 8 -> []; _ -> [expr(one([1,2,2,3])) || _ <- lists:seq(1, one([1,1,2]))] end,
    B = case r(20) of 0 -> wrong_list(); 1 -> []; _ -> [body(one([0,1,2,3])) || _ <- lists:seq(1, one([1,1,2,3]))] end,
    {head(), G, B}.
wrong_list() -> one([foo, {}, [true|foo], 1, [], <<>>, [[]], "ab", #{}]).
head() -> case r(8) of 0 -> '_'; 1 -> '$1'; 2 -> pat(2);
   _ -> L = [pat(1) || _ <- lists:seq(1, one([0,1,2,2,2,3]))], case {get(dialect), r(10)} of {table, 0} -> L; {table, _} -> list_to_tuple(L); {_, 0} -> list_to_tuple(L); {_, 1} -> L ++ one(['_', '$3', a, {}]); _ -> L end end.
var() -> one(['$1', '$1', '$2', '$2', '$3', '$0', '_', '_', '$10', '$_', '$$', '$01']).
pat(0) -> case r(3) of 0 -> value(0); _ -> var() end;
pat(D) -> case r(8) of 0 -> list_to_tuple([pat(D-1) || _ <- lists:seq(1, r(4))]); 1 -> [pat(D-1) || _ <- lists:seq(1, r(4))]; 2 -> maps:from_list([{case r(6) of 0 -> var(); _ -> value(0) end, pat(D-1)} || _ <- lists:seq(1, r(4))]); 3 -> [pat(D-1) | pat(D-1)]; 4 -> value(1); _ -> pat(0) end.
ref() -> one(['$1', '$2', '$1', '$2', '$3', '$_', '$$', '$0', '$10', '$7', '_', '$01']).
lit() -> one([a, true, false, 0, 1, 2, 3, -1, 1.5, [], "ab", <<"abc">>, 1 bsl 70, #{}, #{a => 1}, {const, a}, {const, {a,b}}, {const, '$1'}, {const, [{}|{a}]}, {{}}, {{a}}, {{a, b}}, {const}, {const, a, b}, [{}], [a|'$1'], {self}, {node}]).
expr(0) -> case r(3) of 0 -> lit(); _ -> ref() end;
expr(D) ->
    E = fun() -> expr(D - 1) end,
    case r(30) of
        0 -> [E() || _ <- lists:seq(1, r(4))];
        1 -> [E() | E()];
        2 -> {list_to_tuple([E() || _ <- lists:seq(1, r(4))])};
        3 -> maps:from_list([{E(), E()} || _ <- lists:seq(1, r(4))]);
        4 -> {one(['and', 'or', 'andalso', 'orelse', 'xor']), E(), E()};
        5 -> list_to_tuple([one(['and', 'or', 'andalso', 'orelse', 'xor', 'not']) | [E() || _ <- lists:seq(1, r(5))]]);
        6 -> {'not', E()};
        7 -> {one(['+', '-', '*', '/', 'div', 'rem', 'band', 'bor', 'bxor', 'bsl', 'bsr']), E(), E()};
        8 -> {one(['+', '-', 'bnot', abs, float, round, trunc, ceil, floor]), E()};
        N when N < 12 -> {one(['<', '>', '=<', '>=', '==', '/=', '=:=', '=/=']), E(), E()};
        N when N < 15 -> {one([is_atom, is_float, is_integer, is_list, is_number, is_pid, is_port, is_reference, is_tuple, is_map, is_binary, is_function, is_boolean, is_bitstring]), E()};
        15 -> {is_record, E(), one([a, ok, E()]), one([1, 2, E()])};
        16 -> {element, one([1, 2, E()]), E()};
        17 -> {one([hd, tl, length, size, bit_size, byte_size, tuple_size, map_size, node]), E()};
        18 -> {one([map_get, is_map_key]), E(), E()};
        19 -> {binary_part, E(), one([{{0, 1}}, E()])};
        20 -> {binary_part, E(), E(), E()};
        21 -> {one([max, min, is_function, is_record]), E(), E()};
        22 -> list_to_tuple([one([foo, message, get_tcw, is_seq_trace, get_seq_token, return_trace, silent, element, is_atom, '+', self, hd, caller, set_tcw, trace, enable_trace, exception_trace, caller_line, 1, "a", '$1', {a}]) | [E() || _ <- lists:seq(1, r(4))]]);
        23 -> {one([get_tcw, is_seq_trace, self, node])};
        24 -> {const, value(2)};
        25 -> list_to_tuple([E() || _ <- lists:seq(1, r(4))]);
        26 -> E();
        _ -> expr(0)
    end.
body(D) ->
    case r(3) of 0 -> action(D); _ -> expr(D) end.
action(D0) ->
    D = max(0, D0 - 1),
    case r(20) of
        0 -> {message, body(D)};
        1 -> {return_trace};
        2 -> {exception_trace};
        3 -> {set_tcw, one([0, 1, 17, 16#ffffffff, 16#100000000, -1, expr(D)])};
        4 -> {get_tcw};
        5 -> {is_seq_trace};
        6 -> {get_seq_token};
        7 -> {set_seq_token, one([label, serial, send, 'receive', print, timestamp, monotonic_timestamp, strict_monotonic_timestamp, foo, expr(D)]), one([true, false, 17, {{1,2}}, expr(D)])};
        8 -> {one([enable_trace, disable_trace]), one([call, send, silent, timestamp, all, cpu_timestamp, foo, expr(D)])};
        9 -> {one([enable_trace, disable_trace]), one([{self}, foo, self(), expr(D)]), one([call, send, silent, foo, expr(D)])};
        10 -> {trace, one([[], [all], [call], [send, call], [foo], expr(D)]), one([[], [call], ['receive'], [{{tracer, get(tracer)}}], [{{tracer, get(tracer)}}, call], [{const, {tracer, get(tracer)}}, silent], [{{tracer, foo}}], expr(D)])};
        11 -> {trace, one([{self}, foo]), one([[], [all], [call]]), one([[], [call], ['receive'], [{{tracer, get(tracer)}}, send]])};
        12 -> {silent, one([true, false, foo, expr(D)])};
        13 -> {message, one([false, true, {self}, a])};
        14 -> list_to_tuple([one([message, return_trace, exception_trace, set_tcw, get_tcw, is_seq_trace, get_seq_token, set_seq_token, enable_trace, disable_trace, trace, silent, caller, caller_line, display, process_dump]) | [expr(D) || _ <- lists:seq(1, one([0,2,3,4,5]))]]);
        15 -> {caller};
        16 -> {get_tcw};
        _ -> expr(D)
    end.
norm(P) when is_pid(P) -> maps:get(P, get(names), pid);
norm(P) when is_reference(P) -> ref;
norm(P) when is_function(P) -> 'fun';
norm([H|T]) -> [norm(H)|norm(T)];
norm(T) when is_tuple(T) -> list_to_tuple(norm(tuple_to_list(T)));
norm(T) when is_map(T) -> maps:from_list(norm(maps:to_list(T)));
norm(T) -> T.
