%% Terms of every kind go into tables and come out the same, by each way out, and outlive the table.
-module(ets_kinds).
-export([main/0]).
-include("../t.hrl").

main() ->
    [t({Type, O}, fun() -> in_and_out(Type, O) end)
     || Type <- [set, ordered_set, bag, duplicate_bag], O <- [[], [compressed], [{write_concurrency, true}]]].

in_and_out(Type, O) ->
    T = ets:new(t, [Type, public | O]),
    Objects = [{I, K, [K | tail], {K, K}} || {I, K} <- lists:zip(lists:seq(1, length(kinds())), kinds())],
    ets:insert(T, Objects),
    Looked = [ets:lookup(T, element(1, X)) || X <- Objects],
    Listed = ets:tab2list(T),
    Matched = ets:match_object(T, {'_', '_', '_', '_'}),
    Selected = ets:select(T, [{{'$1', '$2', '_', '$4'}, [], [{{'$1', '$2', '$_', '$4'}}]}]),
    Folded = ets:foldl(fun(X, A) -> [X | A] end, [], T),
    Elements = [ets:lookup_element(T, element(1, X), 3) || X <- Objects],
    [ets:update_element(T, element(1, X), {2, element(3, X)}) || Type =:= set orelse Type =:= ordered_set, X <- Objects],
    Taken = [ets:take(T, element(1, X)) || X <- Objects],
    ets:delete(T),
    garbage_collect(),
    Sorted = lists:sort(Objects),
    [Looked =:= [[X] || X <- Objects], lists:sort(Listed) =:= Sorted, lists:sort(Matched) =:= Sorted,
     lists:sort([X || {_, _, X, _} <- Selected]) =:= Sorted, [{A, B, D} || {A, B, _, D} <- lists:sort(Selected)] =:= [{A, B, D} || {A, B, _, D} <- Sorted],
     lists:sort(Folded) =:= Sorted, Elements =:= [element(3, X) || X <- Objects],
     [element(4, X) || [X] <- Taken] =:= [element(4, X) || X <- Objects],
     erlang:phash2([Looked, lists:sort(Listed)]) =:= erlang:phash2([[[X] || X <- Objects], Sorted]),
     [erlang:phash2(F(1)) || [{_, _, _, {F, _}}] <- Looked, is_function(F, 1), F =/= fun lists:reverse/1]].

kinds() ->
    case get(kinds) of
        undefined -> put(kinds, Ks = make_kinds()), Ks;
        Ks -> Ks
    end.

make_kinds() ->
    Big = 1 bsl 200,
    Large = binary:copy(<<"large binary ">>, 50),
    <<_:3, Bits:500/bits, _/bits>> = Large,
    <<_, Part:300/binary, _/binary>> = Large,
    X = id({env, Big, Large}),
    [1, -1, Big, -Big, 1.5, 1.0e300, -1.0e-300, 0.0, atom, [], {}, "string", [a | b], [[[]]], {{{x}}}, <<>>, <<"small">>, <<5:3>>,
     Large, Bits, Part, binary:part(Large, 3, 200), #{}, #{a => Big, "b" => Large}, maps:from_list([{I, [I]} || I <- lists:seq(1, 100)]),
     fun(Y) -> {X, Y} end, fun lists:reverse/1, fun ?MODULE:main/0, self(), make_ref(), ets:new(inner, []),
     lists:duplicate(300, {Large, Big}), list_to_tuple(lists:seq(1, 500))].
