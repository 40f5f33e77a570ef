%% Random terms and copies of them that differ in one place: which comes first. A line holds a hash of 400 answers.
-module(r_order_terms).
-export([main/0]).

-define(PAIRS, 400).
-define(PID(N, Serial), list_to_pid("<0." ++ integer_to_list(N) ++ "." ++ integer_to_list(Serial) ++ ">")).

main() ->
    rand:seed(exsss, {1, 2, 7}),
    Leaves = {list_to_tuple([?PID(N, Serial) || N <- [1, 2, 9, 300], Serial <- [0, 1, 2]]),
              {make_ref(), make_ref(), make_ref()}},
    [io:format("~p~n", [erlang:phash2([answers(Leaves) || _ <- lists:seq(1, ?PAIRS)])]) || _ <- lists:seq(1, 50)].

answers(Leaves) ->
    A = term(4, Leaves),
    B = case rand:uniform(3) of 1 -> term(3, Leaves); _ -> changed(A, rand:uniform(8), Leaves) end,
    {A < B, A =< B, A == B, A =:= B, A > B, B < A, lists:sort([B, A, B]) =:= lists:sort([A, B, B])}.

up_to(N) -> rand:uniform(N).
one_of(Tuple) -> element(rand:uniform(tuple_size(Tuple)), Tuple).
copy(T) when is_reference(T); is_function(T) -> T;
copy(T) -> binary_to_term(term_to_binary(T)).

leaf({Pids, Refs}) ->
    case up_to(16) of
        1 -> up_to(4);
        2 -> up_to(4) * 1.0;
        3 -> up_to(3) * 1.0e300;
        4 -> up_to(3) bsl (60 + up_to(3) * 8);
        5 -> -(up_to(3) bsl (62 + up_to(3) * 9));
        6 -> one_of({a, b, abcdefgh, abcdefgi, ''});
        7 -> list_to_binary(lists:duplicate(up_to(12), up_to(3)));
        8 -> <<(up_to(300)):(up_to(11))>>;
        9 -> binary:copy(<<(up_to(2))>>, 60 + up_to(8));
        10 -> one_of(Pids);
        11 -> binary_to_term(<<131, 90, 3:16, 100, 3:16, "a@b", (up_to(2)):32, (up_to(3)):32, (up_to(2)):32, 1:32>>);
        12 -> binary_to_term(<<131, 88, 100, 3:16, "a@b", (up_to(3)):32, (up_to(2)):32, 1:32>>);
        13 -> one_of({0.0, -0.0, 0, []});
        14 -> <<_:3, Rest/bits>> = <<(up_to(1000)):24>>, Rest;
        15 -> lists:duplicate(up_to(20), up_to(2));
        16 -> one_of(Refs)
    end.

term(0, Leaves) -> leaf(Leaves);
term(Depth, Leaves) ->
    Term = fun(_) -> term(Depth - 1, Leaves) end,
    case up_to(9) of
        1 -> list_to_tuple(lists:map(Term, lists:seq(1, up_to(4))));
        2 -> lists:map(Term, lists:seq(1, up_to(5)));
        3 -> [Term(1) | leaf(Leaves)];
        4 -> maps:from_list([{leaf(Leaves), Term(I)} || I <- lists:seq(1, up_to(5))]);
        5 -> X = Term(1), list_to_tuple([X || _ <- lists:seq(1, up_to(20))]);
        6 -> maps:from_list([{I, leaf(Leaves)} || I <- lists:seq(1, 30 + up_to(5))]);
        7 -> with(Term(1));
        8 -> [{I, term(1, Leaves)} || I <- lists:seq(1, up_to(5))];
        9 -> leaf(Leaves)
    end.

with(X) -> fun() -> X end.

%% A copy, but for one place at most Depth deep.
changed(T, Depth, Leaves) when is_tuple(T), tuple_size(T) > 0, Depth > 0 ->
    I = up_to(tuple_size(T)),
    setelement(I, copy(T), changed(element(I, T), Depth - 1, Leaves));
changed([H | T], Depth, Leaves) when Depth > 0 ->
    case up_to(2) of
        1 -> [changed(H, Depth - 1, Leaves) | T];
        2 -> [copy(H) | changed(T, Depth, Leaves)]
    end;
changed(M, Depth, Leaves) when is_map(M), map_size(M) > 0, Depth > 0 ->
    Key = lists:nth(up_to(map_size(M)), lists:sort(maps:keys(M))),
    (copy(M))#{Key := changed(maps:get(Key, M), Depth - 1, Leaves)};
changed(F, Depth, Leaves) when is_function(F), Depth > 0 ->
    {env, [X]} = erlang:fun_info(F, env),
    with(changed(X, Depth - 1, Leaves));
changed(T, _, Leaves) ->
    case up_to(3) of
        1 -> leaf(Leaves);
        2 -> copy(T);
        3 when is_integer(T) -> T + up_to(3) - 2;
        3 -> T
    end.
