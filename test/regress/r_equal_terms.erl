%% Are two terms one, or equal? Random terms beside copies of them in which one thing is another, and terms nested deep.
-module(r_equal_terms).
-export([main/0]).

-define(ROUNDS, 200).

main() ->
    rand:seed(exsss, {5, 6, 7}),
    [line(Kind, [answers(T, copy(change(Kind, T))) || T <- [nested(Kind, rand:uniform(4) - 1) || _ <- seq(?ROUNDS)]])
     || Kind <- kinds()],
    line(all_pairs, [[answers(A, copy(B)) || A <- leaves()] || B <- leaves()]),
    [io:format("~p: ~w ~w ~w~n", [Name, answers(T, copy(T)), answers(T, copy(Other)), answers(Other, copy(T))])
     || {Name, T, Other} <- deep()],
    halves().

line(Name, Answers) ->
    io:format("~p: ~w ~w~n", [Name, erlang:phash2(Answers), erlang:crc32(io_lib:format("~w", [Answers]))]).

seq(N) -> lists:seq(1, N).
copy(T) -> element(1, binary_to_term(term_to_binary({T, self()}))).

%% By instructions, by calls, in guards, and by what compares on its own account.
answers(A, B) ->
    [A =:= B, A == B, A =/= B, A /= B, call("=:=", A, B), call("==", A, B), guarded(A, B), lists:member(A, [B]),
     lists:keymember(A, 1, [{B}]), case #{A => x} of #{B := x} -> true; _ -> false end, A < B, A > B].

call(Name, A, B) -> apply(erlang, list_to_atom(Name), [A, B]).

guarded(A, B) when A =:= B, A == B -> same;
guarded(A, B) when A == B -> equal;
guarded(A, B) when A =/= B, A /= B -> different.

kinds() -> [leaf, tuple, list, string, small_map, large_map, binary, mixed].

%% A term that holds one `here` at some place, or none.
nested(Kind, 0) -> part(Kind);
nested(Kind, Levels) ->
    Inner = nested(Kind, Levels - 1),
    case rand:uniform(7) of
        1 -> list_to_tuple(amid(Inner));
        2 -> amid(Inner);
        3 -> [part(Kind) | Inner];
        4 -> #{a => part(Kind), b => Inner};
        5 -> #{Inner => part(Kind), part(tuple) => b};
        6 -> maps:from_list([{K, here(K, Inner)} || K <- seq(rand:uniform(60) + 8)]);
        7 -> fun() -> {Kind, Inner} end
    end.

here(8, Inner) -> Inner;
here(K, _) -> K.

amid(Inner) -> some(20, mixed) ++ [Inner | some(20, mixed)].
some(Most, Kind) -> [part(Kind) || _ <- seq(rand:uniform(Most) - 1)].

part(leaf) -> lists:nth(rand:uniform(length(leaves())), leaves());
part(tuple) -> list_to_tuple(part(list));
part(list) -> some(25, leaf);
part(string) -> [rand:uniform(3) || _ <- seq(rand:uniform(40) - 1)];
part(small_map) -> maps:from_list([{part(leaf), part(leaf)} || _ <- seq(rand:uniform(5) - 1)]);
part(large_map) -> maps:from_list([{{K, part(string)}, part(leaf)} || K <- seq(40)]);
part(binary) -> bits(rand:uniform(600) - 1);
part(mixed) -> part(lists:nth(rand:uniform(7), kinds())).

bits(N) -> << <<(rand:uniform(2) - 1):1>> || _ <- seq(N) >>.

leaves() ->
    Big = 1 bsl 100,
    [0, 1, -1, 1.0, -1.0, 0.0, -0.0, 1.0e200, 1.1e200, -1.0e200, 1.0e-200, a, b, '', [], {}, #{}, <<>>, <<0>>,
     <<0:1>>, <<1:1>>, <<"abc">>, <<"abd">>, <<"abcdefgh">>, <<"abcdefgi">>, <<"abcdefghi">>, binary:copy(<<"x">>, 64),
     binary:copy(<<"x">>, 65), binary:copy(<<"x">>, 200), Big, -Big, Big + 1, Big bsl 64, Big bsl 2000,
     (Big bsl 2000) + 1, float(Big), 1 bsl 59, 1 bsl 60, float(1 bsl 60), -(1 bsl 60), fun lists:map/2, fun lists:map/3,
     fun kinds/0, pid(0), pid(1), reference(1), reference(2), reference(3), "ab", "abc", [a | b], [[]], {[]}, {a},
     {a, 1}, {a, 1.0}, #{1 => a}, #{1.0 => a}, #{a => 1}, #{a => 1.0}, #{a => 0.0}, part_of(<<"xabcx">>)].

pid(N) -> list_to_pid("<0." ++ integer_to_list(N) ++ ".0>").
part_of(B) -> <<_:1/binary, Part:3/binary, _/binary>> = B, Part.
%% Of another node: the same name, and numbers of several lengths.
reference(Words) -> binary_to_term(<<131, 90, Words:16, 119, 3, "a@b", 1:32, 7:32, 0:((Words - 1) * 32)>>).

%% One thing of a term becomes another.
change(Kind, T) when is_tuple(T), tuple_size(T) > 0 ->
    I = rand:uniform(tuple_size(T)),
    setelement(I, T, change(Kind, element(I, T)));
change(Kind, [H | T]) ->
    case rand:uniform(4) of
        1 -> [change(Kind, H) | T];
        2 when is_list(T), length(T) > 0 -> [H | lists:droplast(T)];
        _ -> [H | change(Kind, T)]
    end;
change(Kind, M) when is_map(M), map_size(M) > 0 ->
    {K, V} = lists:nth(rand:uniform(map_size(M)), lists:sort(maps:to_list(M))),
    case rand:uniform(3) of
        1 -> (maps:remove(K, M))#{change(Kind, K) => V};
        _ -> M#{K := change(Kind, V)}
    end;
change(_, N) when is_integer(N) -> lists:nth(rand:uniform(3), [N, N + 1, float(N rem 1000)]);
change(_, F) when is_float(F) -> lists:nth(rand:uniform(3), [F, -F, trunc(F)]);
change(_, <<F:1, Rest/bits>> = B) -> lists:nth(rand:uniform(3), [B, <<(1 - F):1, Rest/bits>>, Rest]);
change(Kind, T) -> lists:nth(rand:uniform(3), [T, T, part(Kind)]).

%% Nested in each way, and what differs lies deepest.
deep() ->
    [{Name, nest(Wrap, 20000, 1), nest(Wrap, 20000, Last)}
     || {Name, Wrap} <- [{heads, fun(T) -> [T] end}, {heads_of_two, fun(T) -> [T, a] end},
                         {tails, fun(T) -> [a | T] end}, {first, fun(T) -> {T, a} end},
                         {last, fun(T) -> {a, <<"bc">>, T} end}, {maps, fun(T) -> #{a => T, b => c} end}],
        Last <- [1.0, 2]] ++
    [{keys, nest(fun key/1, 100, 1), nest(fun key/1, 100, 1.0)}].

key(T) -> #{T => b, c => d}.

nest(_, 0, T) -> T;
nest(Wrap, N, T) -> nest(Wrap, N - 1, Wrap(T)).

%% Long ones, beside a process that goes on.
halves() ->
    [io:format("~p: ~w~n", [Name, [A =:= B, A == B, A =:= C, A == C]])
     || {Name, A, B, C} <- [{numbers, seq(300000), seq(300000), seq(299999) ++ [x]},
                            {strings, strings(y), strings(y), strings(z)},
                            {elements, list_to_tuple(seq(300000)), list_to_tuple(seq(300000)),
                             list_to_tuple(seq(299999) ++ [300000.0])},
                            {bytes, binary:copy(<<"ab">>, 1000000), binary:copy(<<"ab">>, 1000000),
                             <<(binary:copy(<<"ab">>, 999999))/binary, "ac">>}]].

strings(Last) -> [integer_to_list(N) || N <- seq(50000)] ++ [Last].
