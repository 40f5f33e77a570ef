%% Compressed tables: the same answers in less memory.
-module(ets_compressed).
-export([main/0]).
-include("../t.hrl").

types() -> [set, bag, duplicate_bag, ordered_set].

main() ->
    [t({shrinks, Type, Name}, fun() -> shrinks(Type, Values) end) || Type <- types(), {Name, Values} <- values()],
    [t({same, Type, Position}, fun() -> same(Type, Position) end) || Type <- types(), Position <- [1, 2]],
    [t({updates, Type}, fun() -> updates(Type) end) || Type <- [set, ordered_set]],
    [t({replace, Type}, fun() -> replace(Type) end) || Type <- [set, ordered_set, duplicate_bag]],
    [t({owned, Type}, fun() -> owned(Type) end) || Type <- types()],
    [t({together, Options}, fun() -> together(Options) end)
     || Options <- [[Type, Concurrency] || Type <- types(),
                                           Concurrency <- [{write_concurrency, W} || W <- [false, true, auto]]]],
    t(info, fun() -> ets:info(ets:new(t, [compressed]), compressed) end),
    t(no_pair, fun() -> ets:new(t, [{compressed, true}]) end).

values() ->
    [{strings, [lists:duplicate(200, $a + I rem 26) || I <- lists:seq(1, 200)]},
     {numbers, [lists:seq(I, I + 50) || I <- lists:seq(1, 200)]},
     {tuples, [{ok, {I, [a, b, {c, I}]}, [{K, K} || K <- lists:seq(1, 20)]} || I <- lists:seq(1, 200)]},
     {maps, [maps:from_list([{K, [K, I]} || K <- lists:seq(1, 50)]) || I <- lists:seq(1, 200)]}].

%% Memory of the objects alone, compressed and not; 1: shrinks by a third at least.
shrinks(Type, Values) ->
    [A, B] = [begin
                  T = ets:new(t, [Type | O]),
                  Empty = ets:info(T, memory),
                  ets:insert(T, [{I, V} || {I, V} <- lists:zip(lists:seq(1, length(Values)), Values)]),
                  {ets:info(T, memory) - Empty, lists:sort(ets:tab2list(T))}
              end || O <- [[compressed], []]],
    {element(1, A) * 3 =< element(1, B) * 2, element(2, A) =:= element(2, B)}.

terms() ->
    [a, 1, -1, 127, 128, -128, 1 bsl 59, -(1 bsl 59), 1 bsl 60, 1 bsl 64, -(1 bsl 200), 1.0, -0.0, 1.0e-300, 3.14, [], {},
     "string", [0, 255], [256], [a | b], "improper" ++ tail, <<>>, <<1, 2, 3>>, <<1:3>>, <<0:800>>, <<0:801>>,
     binary:part(<<0:8000>>, 10, 500), #{}, #{a => 1}, maps:from_list([{I, [I]} || I <- lists:seq(1, 40)]),
     fun lists:sum/1, self(), lists:seq(1, 300), {1, {2, {3, {4, [5, [6, [7]]]}}}}, [[[[[]]]]], "åäö", [$a, 1.5 | {x}]].

%% Every way to get at an object.
same(Type, Position) ->
    R1 = look(Type, Position, [compressed]),
    R2 = look(Type, Position, []),
    {R1 =:= R2, [length(element(I, R1)) || I <- [1, 2]], erlang:phash2([E || E <- element(1, R1), not has_pid(E)])}.

has_pid(T) -> lists:member($<, lists:flatten(io_lib:format("~p", [T]))).

look(Type, Position, Options) ->
    T = ets:new(t, [Type, {keypos, Position} | Options]),
    Objects = [setelement(Position, {x, x, V, [V], {V, V}}, K)
               || {K, V} <- lists:zip(lists:seq(1, length(terms())), terms())],
    ets:insert(T, Objects),
    ets:insert(T, Objects),
    Seen = [begin
         Key = element(Position, O),
         [ets:lookup(T, Key), ets:lookup_element(T, Key, 3), ets:lookup_element(T, Key, 5), ets:member(T, Key),
          lists:sort(ets:match(T, setelement(Position, {'_', '_', '$1', '_', '$2'}, Key))),
          lists:sort(ets:match_object(T, {'_', '_', element(3, O), '_', '_'})),
          ets:select_count(T, [{{'_', '_', '$1', '_', '_'}, [{'=:=', '$1', {const, element(3, O)}}], [true]}]),
          lists:sort(ets:select(T, [{{'_', '_', '$1', '$2', '_'}, [{is_list, '$1'}], [{{'$2', '$_'}}]}]))]
     end || O <- Objects],
    Changed = [begin
                B = ets:insert_new(T, O),
                A = ets:delete_object(T, setelement(4, O, other)),
                S1 = ets:info(T, size),
                C = ets:delete_object(T, O),
                S2 = ets:info(T, size),
                D = ets:insert(T, O),
                {A, B, C, D, S1, S2, ets:take(T, element(Position, O)), ets:info(T, size)}
            end || O <- Objects],
    {Seen, Changed}.

updates(Type) ->
    T = ets:new(t, [Type, compressed]),
    ets:insert(T, {k, 1, "some text that is longer", 1 bsl 70, [x, y, z], 2.5}),
    [ets:update_counter(T, k, 5), ets:update_counter(T, k, [{2, 1}, {4, 1}]), ets:lookup(T, k),
     ets:update_counter(T, k, {2, 1 bsl 64}), ets:lookup(T, k),
     ets:update_element(T, k, {3, lists:duplicate(40, $b)}), ets:lookup(T, k),
     ets:update_element(T, k, [{2, 0}, {5, nil}]), ets:lookup(T, k),
     ets:update_counter(T, k, {2, 3, 2, 0}), ets:lookup(T, k),
     ets:update_counter(T, new, {2, 1}, {new, 10, "default text, long enough"}), ets:lookup(T, new),
     try ets:update_counter(T, k, {3, 1}) catch error:R -> R end,
     try ets:update_element(T, k, {1, x}) catch error:R -> R end, lists:sort(ets:tab2list(T))].

replace(Type) ->
    T = ets:new(t, [Type, compressed]),
    ets:insert(T, [{I, lists:seq(1, I)} || I <- lists:seq(1, 60)]),
    N = ets:select_replace(T, [{{'$1', '$2'}, [{'<', '$1', 30}], [{{'$1', {{'$2', '$2'}}}}]}]),
    M = ets:select_delete(T, [{{'_', [1, 2, 3 | '_']}, [], [true]}]),
    {N, M, lists:sort(ets:tab2list(T))}.

%% What is not packed: large binaries stay shared, funs and references live on.
owned(Type) ->
    T = ets:new(t, [Type, compressed]),
    Large = binary:copy(<<"0123456789">>, 1000),
    N = id(5),
    Ref = make_ref(),
    ets:insert(T, [{1, Large, "text"}, {2, fun(X) -> X + N end, "text"}, {3, [Ref, T], "text"}]),
    erlang:garbage_collect(),
    [{1, L, "text"}] = ets:lookup(T, 1),
    [{2, F, "text"}] = ets:lookup(T, 2),
    [{3, [R, Tid], "text"}] = ets:lookup(T, 3),
    {L =:= Large, F(1), R =:= Ref, Tid =:= T, length(ets:info(T, binary))}.

together(Options) ->
    T = ets:new(t, [public, compressed | Options]),
    Ps = [spawn_monitor(fun() ->
                            [begin
                                 ets:insert(T, {{P, I}, lists:seq(1, I rem 50), "text"}),
                                 [{_, L, "text"} | _] = ets:lookup(T, {P, I}),
                                 true = length(L) =:= I rem 50,
                                 I rem 3 =:= 0 andalso ets:delete(T, {P, I})
                             end || I <- lists:seq(1, 1000)]
                        end) || P <- lists:seq(1, 4)],
    {lists:usort([receive {'DOWN', R, _, _, Reason} -> Reason end || {_, R} <- Ps]), ets:info(T, size),
     erlang:phash2(lists:sort(ets:tab2list(T)))}.
