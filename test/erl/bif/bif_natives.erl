%% Functions that the stock libraries call beneath their own: erts_internal's, and items that few ask for.
-module(bif_natives).
-export([main/0]).
-include("../t.hrl").

main() ->
    [tables(Type, Protection) || Type <- [set, ordered_set, bag, duplicate_bag], Protection <- [public, protected, private]],
    t(large_table, fun() ->
        T = ets:new(large, [private]),
        [ets:insert(T, {I, binary:copy(<<I:32>>, 30)}) || I <- lists:seq(1, 3000)],
        L = in_other(fun() -> ets:info(T, binary) end),
        {length(L), lists:usort([Size || {_, Size, _} <- L]), ets:info(T, fixed)}
    end),
    [t({Name, X}, fun() -> F(X) end)
     || {Name, F} <- [{binary, fun(X) -> ets:info(X, binary) end}, {first, fun erts_internal:ets_raw_first/1},
                      {next, fun(X) -> erts_internal:ets_raw_next(X, 1) end},
                      {lookup, fun(X) -> erts_internal:ets_lookup_binary_info(X, 1) end}],
        X <- [no_table, 1, "x"]],
    [t({super_user, X}, fun() -> erts_internal:ets_super_user(X) end) || X <- [foo, 1, true, false]],
    t(magic_ref, fun magic_ref/0),
    [t({system_check, X}, fun() -> erts_internal:system_check(X) end) || X <- [schedulers, foo, 1]],
    [t({match_spec, G}, fun() -> erlang:match_spec_test({a, 1.5}, [{{'$1', '$2'}, [], [G]}], table) end)
     || G <- [{max, 1, 2}, {min, 1, 2}, {ceil, '$2'}, {floor, '$2'}, {tuple_size, '$_'}, {is_boolean, '$1'},
              {is_function, '$1', 1}, {is_function, '$1'}, {round, '$2'}]],
    t(persistent_terms, fun persistent_terms/0).

tables(Type, Protection) ->
    T = ets:new(t, [Type, Protection]),
    B = binary:copy(<<"x">>, 100),
    Sizes = fun(L) -> lists:sort([{Size, is_integer(Address), References > 0} || {Address, Size, References} <- L]) end,
    t({Type, Protection, empty}, fun() -> ets:info(T, binary) end),
    ets:insert(T, [{1, B}, {2, B, [binary:copy(B)]}, {3, x}]),
    t({Type, Protection, own}, fun() -> Sizes(ets:info(T, binary)) end),
    t({Type, Protection, other}, fun() -> in_other(fun() -> Sizes(ets:info(T, binary)) end) end),
    t({Type, Protection, keys}, fun() -> in_other(fun() -> keys(T) end) end),
    t({Type, Protection, lookup}, fun() ->
        in_other(fun() -> [Sizes(erts_internal:ets_lookup_binary_info(T, K)) || K <- [1, 2, 3, 4]] end)
    end),
    t({Type, Protection, super_user}, fun() ->
        in_other(fun() ->
                     erts_internal:ets_super_user(true),
                     A = {keys(T), length(ets:lookup(T, 1)), ets:insert(T, {4, y})},
                     erts_internal:ets_super_user(false),
                     {A, try ets:insert(T, {5, y}) catch error:badarg -> badarg end}
                 end)
    end),
    ets:delete(T).

%% What F gives in another process, without addresses of its own in the stack.
in_other(F) ->
    Self = self(),
    spawn(fun() -> Self ! {other, try F() catch C:R:S -> {C, R, place(hd(S))} end} end),
    receive {other, V} -> V end.

place({M, F, _, Info}) -> {M, F, Info}.

keys(T) -> lists:sort(keys(T, erts_internal:ets_raw_first(T))).
keys(_, '$end_of_table') -> [];
keys(T, K) -> [K | keys(T, erts_internal:ets_raw_next(T, K))].

%% One entry for each reference; who holds none shows none.
magic_ref() ->
    Self = self(),
    R = atomics:new(3, []),
    P = spawn(fun() -> Held = id([R, {R}]), Self ! ready, receive {keep, _} -> Held end end),
    Q = spawn(fun() -> Self ! ready, receive stop -> ok end end),
    [receive ready -> ok end || _ <- [P, Q]],
    {magic_ref, Entries} = process_info(P, magic_ref),
    Seen = {[{is_integer(A), is_integer(Size), References > 1} || {A, Size, References} <- Entries],
            process_info(Q, magic_ref), process_info(Q, [magic_ref])},
    [exit(X, kill) || X <- [P, Q]],
    atomics:put(R, 1, 7),
    {Seen, atomics:get(R, 1)}.

%% Others' terms go too; those who hold a value keep it.
persistent_terms() ->
    persistent_term:put({?MODULE, a}, [1, "text"]),
    persistent_term:put({?MODULE, b}, #{x => {y}}),
    Kept = persistent_term:get({?MODULE, a}),
    Result = erts_internal:erase_persistent_terms(),
    erlang:garbage_collect(),
    Gone = [persistent_term:get({?MODULE, K}, none) || K <- [a, b]],
    persistent_term:put({?MODULE, a}, again),
    {Result, Gone, Kept, persistent_term:get({?MODULE, a})}.
