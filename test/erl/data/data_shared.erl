%% Numbers and terms that processes share: atomics, counters, persistent_term; and the buffers under files.
-module(data_shared).
-export([main/0]).

%% The stock runtime's own modules have no lines: failures are shown without their stacks.
t(Name, Fun) -> io:format("~0tp: ~0tp~n", [Name, try Fun() catch C:R -> {failed, C, R} end]).

main() ->
    [t({atomics, O}, fun() -> atomics(O) end) || O <- [[], [{signed, false}], [{signed, true}]]],
    [t({new, A}, fun() -> is_reference(apply(atomics, new, A)) end) || A <- [[0, []], [-1, []], [a, []], [1 bsl 70, []], [1, [x]], [1, foo], [3, []]]],
    [t({counters, O}, fun() -> counters(O) end) || O <- [[], [atomics], [write_concurrency]]],
    [t({new, A}, fun() -> is_tuple(apply(counters, new, A)) end) || A <- [[0, []], [a, []], [1, [x]], [3, []], [1, [atomics, x]]]],
    t(persistent, fun persistent/0),
    t(replaced, fun replaced/0),
    t(many, fun many/0),
    t(buffer, fun buffer/0).

e(F) -> try F() catch error:E -> E end.

atomics(O) ->
    A = atomics:new(3, O),
    Info = maps:without([memory], atomics:info(A)),
    Values = [0, 1, -1, 1 bsl 62, 1 bsl 63 - 1, 1 bsl 63, -(1 bsl 63), -(1 bsl 63) - 1, 1 bsl 64 - 1, 1 bsl 64, foo, 1.0],
    Puts = [{V, e(fun() -> atomics:put(A, 1, V) end), atomics:get(A, 1)} || V <- Values],
    Adds = [{V, e(fun() -> atomics:add_get(A, 2, V) end), e(fun() -> atomics:add(A, 2, V) end), atomics:get(A, 2)} || V <- Values],
    Subs = [{V, e(fun() -> atomics:sub_get(A, 2, V) end), e(fun() -> atomics:sub(A, 2, V) end)} || V <- Values],
    Others = [e(fun() -> atomics:get(A, I) end) || I <- [0, 4, a, 1 bsl 70]] ++ [e(fun() -> atomics:get(make_ref(), 1) end)],
    atomics:put(A, 3, 5),
    {Info, Puts, Adds, Subs, Others, atomics:exchange(A, 3, 7), atomics:compare_exchange(A, 3, 7, 9), atomics:compare_exchange(A, 3, 7, 9),
     e(fun() -> atomics:exchange(A, 3, foo) end)}.

counters(O) ->
    C = counters:new(20, O),
    Ps = [spawn_monitor(fun() -> [counters:add(C, 1 + (I rem 20), 1) || I <- lists:seq(1, 1000)] end) || _ <- lists:seq(1, 5)],
    [receive {'DOWN', R, _, _, _} -> ok end || {_, R} <- Ps],
    counters:sub(C, 1, 7),
    counters:put(C, 2, -3),
    {[counters:get(C, I) || I <- lists:seq(1, 20)], maps:get(size, counters:info(C)), [e(fun() -> counters:get(C, I) end) || I <- [0, 21, a]],
     e(fun() -> counters:add(C, 1, 1 bsl 70) end), e(fun() -> counters:get({foo, 1}, 1) end)}.

persistent() ->
    K = {?MODULE, key},
    [e(fun() -> persistent_term:get(K) end), persistent_term:get(K, default), persistent_term:put(K, {a, [b, <<0:1000>>], 1 bsl 80}),
     erlang:phash2(persistent_term:get(K)), persistent_term:put(K, {a, [b, <<0:1000>>], 1 bsl 80}), lists:keymember(K, 1, persistent_term:get()),
     persistent_term:erase(K), persistent_term:erase(K), persistent_term:get(K, none), lists:keymember(K, 1, persistent_term:get())].

replaced() ->
    K = {?MODULE, counter},
    Olds = [begin persistent_term:put(K, {I, lists:duplicate(10, I)}), persistent_term:get(K) end || I <- lists:seq(1, 200)],
    Self = self(),
    Held = persistent_term:get(K),
    spawn(fun() -> Self ! {got, persistent_term:get(K)} end),
    Sent = receive {got, X} -> X end,
    persistent_term:put(K, other),
    garbage_collect(),
    {erlang:phash2(Olds), Held, Sent, persistent_term:get(K), persistent_term:erase(K)}.

many() ->
    [persistent_term:put({?MODULE, I}, #{i => I, s => integer_to_list(I)}) || I <- lists:seq(1, 2000)],
    R = lists:sum([maps:get(i, persistent_term:get({?MODULE, I})) || I <- lists:seq(1, 2000)]),
    {R, [persistent_term:erase({?MODULE, I}) || I <- [1, 1000, 2000, 2001]], persistent_term:get({?MODULE, 1000}, gone),
     length([x || {{?MODULE, _}, _} <- persistent_term:get()]), [persistent_term:erase({?MODULE, I}) || I <- lists:seq(2, 1999)] =/= []}.

buffer() ->
    B = prim_buffer:new(),
    W = fun(X) -> e(fun() -> prim_buffer:write(B, X) end) end,
    [W([<<"abc">>, <<"d">>]), W(<<"abc">>), W("a"), W([]), prim_buffer:size(B), e(fun() -> prim_buffer:skip(B, 9) end),
     prim_buffer:find_byte_index(B, $d), e(fun() -> prim_buffer:find_byte_index(B, 256) end), prim_buffer:find_byte_index(B, $q),
     prim_buffer:read(B, 2), prim_buffer:skip(B, 2), prim_buffer:try_lock(B), prim_buffer:try_lock(B), prim_buffer:unlock(B),
     e(fun() -> prim_buffer:unlock(B) end), W([binary:copy(<<"x">>, 2000), <<"yz">>]), prim_buffer:find_byte_index(B, $z),
     byte_size(prim_buffer:read(B, 1500)), [byte_size(X) || X <- prim_buffer:read_iovec(B, 502)], prim_buffer:size(B), prim_buffer:wipe(B)].
