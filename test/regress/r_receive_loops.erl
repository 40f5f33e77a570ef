%% Receives that pass over messages, by turns and one within another: each goes on at its own beginning. And tests of
%% tuples that differ in what is no tuple and what is a tuple of another size.
-module(r_receive_loops).
-export([main/0]).

main() ->
    [self() ! {N rem 7, N} || N <- lists:seq(1, 500)],
    io:format("~w~n", [by_turns(6, [])]),
    io:format("~w~n", [within(3)]),
    io:format("~w~n", [length(rest())]),
    io:format("~w~n", [[{T, kind(T), pair(T), next(T)}
                        || T <- [a, 1, [], [x], {}, {1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4}, #{}, <<1>>, 1.5, 1 bsl 70]]]).

%% Two loops over the same queue, the other one each time.
by_turns(0, Taken) -> lists:reverse(Taken);
by_turns(Key, Taken) when Key rem 2 =:= 0 ->
    receive {Key, N} when N > 400 -> by_turns(Key - 1, [{even, Key, N} | Taken]) end;
by_turns(Key, Taken) ->
    receive {Key, N} when N > 300 -> by_turns(Key - 1, [{odd, Key, N} | Taken]); {Key, 490} -> late end.

%% What is taken leads to another receive, before the first goes on.
within(0) -> [];
within(Depth) ->
    receive
        {Depth, N} when N rem 3 =:= 0 ->
            Other = receive {0, M} when M > N -> M; {never} -> none after 0 -> timeout end,
            [{N, Other} | within(Depth - 1)];
        {_, 499} ->
            [last | within(Depth)]
    end.

rest() -> receive M -> [M | rest()] after 0 -> [] end.

kind({_, _}) -> two;
kind({_, _, _}) -> three;
kind(T) when is_tuple(T) -> tuple;
kind([_ | _]) -> cell;
kind(_) -> other.

%% Anything else fails in another clause than a tuple that is too large.
pair(T) ->
    case T of
        {A, B} -> {B, A};
        none -> none;
        a -> atom;
        _ when is_tuple(T) -> {size, tuple_size(T)};
        _ -> no
    end.

next(T) ->
    try advance(T) catch error:R -> R end.

advance({K, V, I}) -> {K, V, I};
advance([H | T]) when is_atom(H) -> T;
advance(a) -> none.
