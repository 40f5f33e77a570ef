%% Calls pure built-in functions with random terms and prints what came back. The same seed gives the same calls on every
%% runtime, so two runtimes can be compared line by line. VIV_SEED and VIV_CASES choose the seed and the number of calls.
-module(gen_bifs).
-export([main/0, term/2]).
-export([roundtrip/1, sorted_keys/1, merged/2, printed/1, cross_compare/3]).
-export([stored/3, shared_copy/1, applied/2]).

main() ->
    Seed = env("VIV_SEED", 1),
    Cases = env("VIV_CASES", 4000),
    io:format("seed ~b cases ~b~n", [Seed, Cases]),
    run(Cases, rand:seed_s(exsss, Seed), list_to_tuple(functions())).

env(Name, Default) ->
    case os:getenv(Name) of
        false -> Default;
        Text -> list_to_integer(Text)
    end.

run(0, _, _) -> ok;
run(N, S0, Functions) ->
    {I, S1} = rand:uniform_s(tuple_size(Functions), S0),
    {M, F, Kinds} = element(I, Functions),
    {Args, S2} = args(Kinds, S1),
    is_deadly(F, Args) orelse call(N, M, F, Args),
    run(N - 1, S2, Functions).

%% More memory than there is ends the stock runtime.
is_deadly(copy, [<<_, _/binary>>, N]) -> is_integer(N) andalso N > 1000000;
is_deadly(_, _) -> false.

call(N, M, F, Args) ->
    R = try apply(M, F, Args) of V -> {ok, V} catch C:E -> {C, E} end,
    io:format("~b ~w:~w~ts -> ~ts~n", [N, M, F, show(Args), show(R)]).

%% Long values as their hash, so that a difference shows without drowning the reader. The order in which a large map prints
%% differs from one stock node to the next, so the text of a term that holds one does not count.
show(T) ->
    Text = io_lib:format("~w", [T]),
    case iolist_size(Text) of
        Size when Size < 300 -> Text;
        Size ->
            TextHash = case holds_large_map(T) of true -> 0; false -> erlang:phash2(Text) end,
            io_lib:format("<~b characters, hash ~b, ~b>", [Size, TextHash, erlang:phash2(T)])
    end.

holds_large_map(T) when is_map(T) -> map_size(T) > 32 orelse holds_large_map(maps:to_list(T));
holds_large_map(T) when is_tuple(T) -> holds_large_map(tuple_to_list(T));
holds_large_map([H | T]) -> holds_large_map(H) orelse holds_large_map(T);
holds_large_map(_) -> false.

args([], S) -> {[], S};
args([K | Ks], S0) ->
    {A, S1} = maybe_wrong(K, S0),
    {As, S2} = args(Ks, S1),
    {[A | As], S2}.

%% One argument in twelve is of any kind at all.
maybe_wrong(K, S0) ->
    case rand:uniform_s(12, S0) of
        {1, S1} -> term(3, S1);
        {_, S1} -> arg(K, S1)
    end.

arg(any, S) -> term(3, S);
arg(int, S) -> int(S);
arg(small, S0) -> {N, S1} = rand:uniform_s(20, S0), {N - 4, S1};
arg(float, S) -> real(S);
arg(number, S0) -> pick([int, int, float, small], S0);
arg(atom, S) -> atom(S);
arg(list, S) -> list(3, S);
arg(ints, S0) -> many(fun(S) -> arg(small, S) end, 12, S0);
arg(bytes, S0) -> many(fun(S) -> {N, S1} = rand:uniform_s(256, S), {N - 1, S1} end, 20, S0);
arg(chars, S0) -> many(fun char/1, 12, S0);
arg(digits, S0) -> {L, S1} = many(fun(S) -> one("0123456789+-.eE aF", S) end, 10, S0), {L, S1};
arg(digitbin, S0) -> {L, S1} = arg(digits, S0), {list_to_binary(L), S1};
arg(pairs, S0) -> many(fun(S) -> {K, A} = term(1, S), {V, B} = term(1, A), {{K, V}, B} end, 40, S0);
arg(tuple, S0) -> {L, S1} = list(2, S0), {list_to_tuple(proper(L)), S1};
arg(map, S0) -> {L, S1} = arg(pairs, S0), {maps:from_list(L), S1};
arg(binary, S0) -> {L, S1} = arg(bytes, S0), {list_to_binary(L), S1};
arg(bits, S) -> bits(S);
arg(base, S0) -> {N, S1} = rand:uniform_s(36, S0), {N, S1};
arg(iolist, S) -> iolist(3, S);
arg({list_of, K}, S0) -> many(fun(S) -> arg(K, S) end, 8, S0);
arg({one_of, L}, S) -> one(L, S).

functions() ->
    Guards = [{erlang, F, [number]} || F <- [abs, float, trunc, round, ceil, floor, '-', '+']],
    Ops = [{erlang, F, [number, number]} || F <- ['+', '-', '*', '/', 'div', 'rem', 'band', 'bor', 'bxor']],
    Cmp = [{erlang, F, [any, any]} || F <- ['<', '=<', '>', '>=', '==', '/=', '=:=', '=/=', min, max]],
    Shift = [{erlang, F, [int, small]} || F <- ['bsl', 'bsr']],
    Tests = [{erlang, F, [any]} || F <- [is_atom, is_list, is_tuple, is_map, is_binary, is_bitstring, is_integer, is_float,
                                         is_number, is_function, is_pid, is_reference, is_boolean, size, hd, tl, length,
                                         tuple_size, byte_size, bit_size, map_size]],
    Guards ++ Ops ++ Cmp ++ Cmp ++ Shift ++ Tests ++
    [{erlang, phash2, [any]}, {erlang, phash2, [any, int]}, {erlang, phash, [any, int]},
     {erlang, term_to_binary, [any]}, {erlang, external_size, [any]}, {?MODULE, roundtrip, [any]},
     {erlang, element, [small, tuple]}, {erlang, setelement, [small, tuple, any]}, {erlang, make_tuple, [small, any]},
     {erlang, append_element, [tuple, any]}, {erlang, insert_element, [small, tuple, any]}, {erlang, delete_element, [small, tuple]},
     {erlang, list_to_tuple, [list]}, {erlang, tuple_to_list, [tuple]},
     {erlang, integer_to_list, [int]}, {erlang, integer_to_list, [int, base]}, {erlang, integer_to_binary, [int]},
     {erlang, integer_to_binary, [int, base]}, {erlang, list_to_integer, [digits]}, {erlang, list_to_integer, [digits, base]},
     {erlang, binary_to_integer, [digitbin]}, {erlang, binary_to_integer, [digitbin, base]},
     {erlang, list_to_float, [digits]}, {erlang, binary_to_float, [digitbin]}, {string, to_integer, [digits]}, {string, to_float, [digits]},
     {erlang, float_to_list, [float]}, {erlang, float_to_list, [float, {one_of, [[short], [{decimals, 3}], [{scientific, 5}], [{decimals, 10}, compact], [{decimals, 0}], [{scientific, 20}]]}]},
     {erlang, float_to_binary, [float, {one_of, [[short], [{decimals, 3}], [{scientific, 5}], [{decimals, 10}, compact]]}]},
     {erlang, atom_to_list, [atom]}, {erlang, atom_to_binary, [atom]},
     {erlang, list_to_binary, [iolist]}, {erlang, iolist_to_binary, [iolist]}, {erlang, iolist_size, [iolist]}, {erlang, list_to_bitstring, [iolist]},
     {erlang, binary_to_list, [binary]}, {erlang, binary_to_list, [binary, small, small]}, {erlang, bitstring_to_list, [bits]},
     {erlang, split_binary, [binary, small]}, {erlang, binary_part, [binary, small, small]}, {erlang, crc32, [iolist]}, {erlang, adler32, [iolist]}, {erlang, md5, [iolist]},
     {erlang, '++', [list, any]}, {erlang, '--', [ints, ints]}, {erlang, '--', [list, list]},
     {lists, reverse, [list]}, {lists, reverse, [list, any]}, {lists, member, [small, ints]}, {lists, keyfind, [any, small, pairs]},
     {lists, keymember, [small, small, pairs]}, {lists, keysearch, [any, small, pairs]}, {lists, sort, [list]}, {lists, usort, [ints]},
     {lists, keysort, [{one_of, [1, 2]}, pairs]}, {lists, flatten, [list]}, {lists, sum, [ints]}, {lists, zip, [ints, ints]}, {lists, nth, [small, list]},
     {maps, from_list, [pairs]}, {maps, get, [any, map]}, {maps, find, [any, map]}, {maps, put, [any, any, map]}, {maps, remove, [any, map]},
     {maps, take, [any, map]}, {maps, update, [any, any, map]}, {maps, is_key, [any, map]}, {?MODULE, sorted_keys, [map]}, {?MODULE, merged, [map, map]},
     {maps, size, [map]}, {erlang, map_get, [any, map]},
     {unicode, characters_to_list, [iolist]}, {unicode, characters_to_binary, [chars]}, {unicode, characters_to_binary, [iolist, {one_of, [utf8, latin1, utf16, {utf16, little}, utf32]}, {one_of, [utf8, latin1, utf16, {utf32, little}]}]},
     {string, length, [chars]}, {string, uppercase, [chars]}, {string, split, [chars, chars]}, {string, trim, [chars]}, {string, find, [chars, chars]},
     {binary, match, [binary, binary]}, {binary, matches, [binary, {list_of, binary}]}, {binary, split, [binary, binary, {one_of, [[], [global], [trim_all, global]]}]},
     {binary, part, [binary, small, small]}, {binary, at, [binary, small]}, {binary, first, [binary]}, {binary, last, [binary]},
     {binary, longest_common_prefix, [{list_of, binary}]}, {binary, longest_common_suffix, [{list_of, binary}]}, {binary, copy, [binary, small]},
     {binary, decode_unsigned, [binary, {one_of, [big, little]}]}, {binary, encode_unsigned, [int, {one_of, [big, little]}]}, {binary, bin_to_list, [binary, small, small]},
     {binary, replace, [binary, binary, binary]},
     {io_lib, format, [{one_of, ["~p", "~w", "~s", "~c", "~b", "~f", "~e", "~g", "~10p", "~P", "~tp", "~ts", "~i", "~16B"]}, {list_of, any}]},
     {?MODULE, stored, [{one_of, [set, bag, duplicate_bag, ordered_set]}, pairs, any]}, {?MODULE, shared_copy, [any]},
     {?MODULE, applied, [small, list]}, {?MODULE, printed, [any]}, {?MODULE, cross_compare, [any, any, any]},
     {math, sqrt, [number]}, {math, floor, [number]}, {math, ceil, [number]}, {math, fmod, [number, number]}].

list(Depth, S0) ->
    {L, S1} = many(fun(S) -> term(Depth - 1, S) end, 6, S0),
    case rand:uniform_s(15, S1) of
        {1, S2} -> {Tail, S3} = term(0, S2), {L ++ Tail, S3};
        {_, S2} -> {L, S2}
    end.

proper([H | T]) -> [H | proper(T)];
proper(_) -> [].

many(Make, Most, S0) ->
    {N, S1} = rand:uniform_s(Most + 1, S0),
    lists:mapfoldl(fun(_, S) -> Make(S) end, S1, lists:seq(1, N - 1)).

pick(Kinds, S0) -> {K, S1} = one(Kinds, S0), arg(K, S1).
one(L, S0) -> {N, S1} = rand:uniform_s(length(L), S0), {lists:nth(N, L), S1}.

term(Depth, S0) when Depth =< 0 ->
    {N, S1} = rand:uniform_s(9, S0),
    case N of
        1 -> {[], S1};
        2 -> real(S1);
        3 -> atom(S1);
        4 -> bits(S1);
        5 -> {{}, S1};
        6 -> {#{}, S1};
        _ -> int(S1)
    end;
term(Depth, S0) ->
    {N, S1} = rand:uniform_s(12, S0),
    case N of
        1 -> list(Depth, S1);
        2 -> {L, S2} = list(Depth, S1), {list_to_tuple(proper(L)), S2};
        3 -> {L, S2} = many(fun(S) -> {K, A} = term(Depth - 1, S), {V, B} = term(Depth - 1, A), {{K, V}, B} end, 6, S1), {maps:from_list(L), S2};
        4 -> {H, S2} = term(Depth - 1, S1), {T, S3} = term(Depth - 1, S2), {[H | T], S3};
        5 -> arg(bytes, S1);
        6 -> arg(chars, S1);
        7 -> {fun lists:map/2, S1};
        _ -> term(0, S1)
    end.

int(S0) ->
    {Bits, S1} = one([1, 3, 7, 8, 16, 27, 28, 31, 32, 33, 58, 59, 60, 61, 62, 63, 64, 65, 100, 128, 129, 300], S0),
    {V, S2} = rand:uniform_s(1 bsl Bits, S1),
    case rand:uniform_s(4, S2) of
        {1, S3} -> {-V, S3};
        {2, S3} -> {(1 bsl Bits) - (V band 3), S3};
        {_, S3} -> {V, S3}
    end.

real(S0) ->
    {N, S1} = rand:uniform_s(6, S0),
    {U, S2} = rand:uniform_s(S1),
    {E, S3} = rand:uniform_s(600, S2),
    case N of
        1 -> {U, S3};
        2 -> {U * math:pow(10, E - 300), S3};
        3 -> {-U * math:pow(2, E - 300), S3};
        4 -> {float(trunc(U * 1000)), S3};
        5 -> {trunc(U * 1000) / 8, S3};
        6 -> one([0.0, -0.0, 1.0e22, 1.0e23, 5.0e-324, 1.7976931348623157e308, 0.1, 9007199254740993.0], S3)
    end.

atom(S) -> one([a, b, ok, error, true, false, undefined, '', 'hello world', 'Atom', '1', 'åäö', 'λ', nil, [], '\n', div_], S).
char(S0) ->
    case rand:uniform_s(8, S0) of
        {1, S1} -> one([0, 16#E9, 16#20AC, 16#1F600, 16#301, 10, 32, $\s], S1);
        {_, S1} -> {N, S2} = rand:uniform_s(26, S1), {N + 96, S2}
    end.
bits(S0) ->
    {B, S1} = arg(bytes, S0),
    {Bin, S2} = {list_to_binary(B), S1},
    case rand:uniform_s(3, S2) of
        {1, S3} -> {N, S4} = rand:uniform_s(7, S3), {<<Bin/binary, N:N>>, S4};
        {_, S3} -> {Bin, S3}
    end.
iolist(0, S) -> arg(bytes, S);
iolist(Depth, S0) ->
    {N, S1} = rand:uniform_s(6, S0),
    case N of
        1 -> arg(bytes, S1);
        2 -> arg(binary, S1);
        3 -> {A, S2} = iolist(Depth - 1, S1), {B, S3} = arg(binary, S2), {[A | B], S3};
        _ -> many(fun(S) -> iolist(Depth - 1, S) end, 4, S1)
    end.

roundtrip(T) -> {T =:= binary_to_term(term_to_binary(T)), T =:= binary_to_term(term_to_binary(T, [compressed])), byte_size(term_to_binary(T, [{minor_version, 0}]))}.
sorted_keys(M) -> lists:sort(maps:keys(M)).
merged(A, B) -> lists:sort(maps:to_list(maps:merge(A, B))).
%% What compressed tables and those with write_concurrency tell of any objects.
stored(Type, Pairs, Key) ->
    [begin
         T = ets:new(t, [Type | Options]),
         ets:insert(T, Pairs),
         R = [ets:info(T, size), ets:member(T, Key), lists:sort(ets:lookup(T, Key)),
              lists:sort(ets:select(T, [{{'$1', '$2'}, [{'=/=', '$1', '$2'}], [{{'$2', '$1'}}]}])) =:=
                  lists:sort([{V, K} || {K, V} <- ets:tab2list(T), K =/= V]),
              [ets:delete_object(T, P) || P <- lists:sublist(Pairs, 3)], ets:info(T, size), length(ets:take(T, Key)),
              case Type of ordered_set -> [ets:first(T), ets:last(T), ets:next(T, Key), ets:prev(T, Key)]; _ -> ok end],
         ets:delete(T),
         R
     end || Options <- [[], [compressed], [{write_concurrency, true}], [compressed, {write_concurrency, auto}]]].

shared_copy(T) ->
    Twice = {T, [T | T]},
    {erts_debug:copy_shared(Twice) =:= Twice, erts_debug:size_shared(Twice) =< erts_debug:flat_size(Twice)}.

%% Funs and functions by name, with as many arguments as there are.
applied(N, L) ->
    F = fun(A, B) -> {B, A} end,
    {try apply(F, L) catch C1:R1 -> {C1, if is_tuple(R1) -> element(1, R1); true -> R1 end} end,
     try apply(lists, nth, [N | L]) catch C2:R2 -> {C2, R2} end,
     try apply(erlang, apply, [erlang, make_tuple, [N | L]]) catch C3:R3 -> {C3, R3} end}.

printed(T) -> lists:flatten(io_lib:format("~p|~w|~20P|~tp", [T, T, T, 8, T])).
cross_compare(A, B, C) -> {lists:sort([A, B, C]), A < B, B < C, A == C, {A, B} < {A, C}, [A | B] =< [A | C]}.
