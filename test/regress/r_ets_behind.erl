%% Tables behind the scenes: numbers of locks, leaves that are split at once, binaries of what is deleted in a fixed
%% table, since when a table is fixed, and what is left of tables that have gone.
-module(r_ets_behind).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    _ = erts_debug:set_internal_state(available_internal_state, true),
    [locks(Type, N) || Type <- [set, bag, ordered_set], N <- [-1, 0, 1, 63, 65, 128, 129, 32768, 32769, 1 bsl 70, foo]],
    private(),
    habits(),
    split_leaves(),
    names(),
    fragment(),
    [kept_binaries(Options) || Options <- [[], [{write_concurrency, true}], [bag], [compressed]]],
    fixed_since(),
    left_behind().

show(Fun) ->
    io:format("~p~n", [try Fun() catch Class:Reason -> {Class, Reason} end]).

locks(Type, N) ->
    Wanted = {write_concurrency, {debug_hash_fixed_number_of_locks, N}},
    show(fun() ->
                 T = ets:new(t, [Type, public, Wanted]),
                 true = ets:insert(T, [{I, I} || I <- lists:seq(1, 5000)]),
                 Found = [ets:lookup_element(T, I, 2) || I <- lists:seq(1, 5000)] =:= lists:seq(1, 5000),
                 Kept = {ets:info(T, write_concurrency), ets:info(T, decentralized_counters), ets:info(T, size)},
                 Locks = element(8, ets:info(T, stats)),
                 true = ets:delete_all_objects(T),
                 Empty = {ets:info(T, size), ets:lookup(T, 1), element(8, ets:info(T, stats))},
                 true = ets:delete(T),
                 {Type, N, Kept, Locks, Found, Empty}
         end).

private() ->
    Locks = {write_concurrency, {debug_hash_fixed_number_of_locks, 128}},
    Last = fun(Options) ->
                   T = ets:new(t, Options),
                   {ets:info(T, write_concurrency), ets:info(T, decentralized_counters)}
           end,
    show(fun() -> Last([private, Locks]) end),
    show(fun() -> Last([public, Locks, {write_concurrency, true}]) end),
    show(fun() -> Last([public, {write_concurrency, true}, Locks]) end),
    show(fun() -> Last([public, Locks, {decentralized_counters, false}]) end).

habits() ->
    Tree = ets:new(t, [ordered_set, public, {write_concurrency, true}]),
    Named = ets:new(r_named, [named_table, ordered_set, public, {write_concurrency, true}]),
    Plain = ets:new(t, [ordered_set, public]),
    Hash = ets:new(t, [public, {write_concurrency, true}]),
    Gone = ets:new(t, [ordered_set, public, {write_concurrency, true}]),
    true = ets:delete(Gone),
    [show(fun() -> erts_debug:set_internal_state(Item, To) end)
     || Item <- [ets_force_split, ets_debug_random_split_join],
        To <- [x, {x, true}, {make_ref(), true}, {Tree, true}, {Tree, false}, {Plain, true}, {Hash, false},
               {Gone, true}, {Named, true}, {ets:whereis(Named), true}]].

%% With ets_debug_random_split_join nothing but the contents can be compared: stock heeds it in debug builds alone.
split_leaves() ->
    T = ets:new(t, [ordered_set, public, {write_concurrency, true}]),
    ok = erts_debug:set_internal_state(ets_force_split, {T, true}),
    Keys = [I * 7919 rem 1009 || I <- lists:seq(1, 1008)],
    _ = [ets:insert(T, {K, K}) || K <- Keys],
    {Routes, Leaves, Depth} = ets:info(T, stats),
    io:format("~p~n", [{Leaves =:= Routes + 1, Leaves > 100, Depth > 6, ets:tab2list(T) =:= sorted(Keys)}]),
    ok = erts_debug:set_internal_state(ets_force_split, {T, false}),
    ok = erts_debug:set_internal_state(ets_debug_random_split_join, {T, true}),
    _ = [begin ets:delete(T, K), ets:insert(T, {K + 5000, K + 5000}) end || K <- Keys],
    ok = erts_debug:set_internal_state(ets_debug_random_split_join, {T, false}),
    io:format("~p~n", [ets:tab2list(T) =:= sorted([K + 5000 || K <- Keys])]).

sorted(Keys) -> [{K, K} || K <- lists:sort(Keys)].

names() ->
    Names = erts_debug:set_internal_state(colliding_names, {pioneer, 5}),
    io:format("~p~n", [{length(Names), lists:all(fun is_atom/1, Names), length(lists:usort([pioneer | Names]))}]),
    [show(fun() -> erts_debug:set_internal_state(colliding_names, What) end)
     || What <- [{"x", 1}, {x, -1}, {x, 0}]].

fragment() ->
    Term = {"a", <<"b">>, 1 bsl 70, self(), #{c => [d]}},
    Copy = erts_debug:set_internal_state(mbuf, Term),
    garbage_collect(),
    io:format("~p~n", [Copy =:= Term]).

%% The last object of a key that is deleted in a fixed table stays there, until the table is fixed no more.
kept_binaries(Options) ->
    Binary = list_to_binary(lists:seq(1, 100)),
    T = ets:new(t, [public | Options]),
    true = ets:insert(T, [{a, Binary}, {b, 1}]),
    true = ets:safe_fixtable(T, true),
    true = ets:delete(T, a),
    Fixed = [{Size, Times} || {_, Size, Times} <- ets:info(T, binary)],
    true = ets:safe_fixtable(T, false),
    io:format("~p~n", [{Options, Fixed, ets:info(T, binary), ets:tab2list(T), size(Binary)}]).

fixed_since() ->
    T = ets:new(t, []),
    System = erlang:timestamp(),
    Before = erlang:monotonic_time(),
    true = ets:safe_fixtable(T, true),
    After = erlang:monotonic_time(),
    {Since, [_]} = ets:info(T, safe_fixed_monotonic_time),
    {SystemSince, [_]} = ets:info(T, safe_fixed),
    io:format("~p~n", [{Before =< Since, Since =< After, timer:now_diff(SystemSince, System) >= 0,
                        timer:now_diff(erlang:timestamp(), SystemSince) >= 0}]).

%% The memory of tables is back at once, although this process has their identifiers yet.
left_behind() ->
    Kept = [begin
                T = ets:new(t, [public | Options]),
                true = ets:insert(T, {a, b}),
                T
            end || Options <- [[], [ordered_set], [{write_concurrency, true}], [{read_concurrency, true}],
                               [ordered_set, {write_concurrency, true}]]],
    [true = ets:delete(T) || T <- Kept],
    Before = tables_memory(),
    More = [begin
                T = ets:new(t, [public, {write_concurrency, true}]),
                true = ets:insert(T, {a, b}),
                true = ets:delete(T),
                T
            end || _ <- lists:seq(1, 100)],
    io:format("~p~n", [{tables_memory() - Before < 100 * 512, length(lists:usort(Kept ++ More))}]),
    fixed_when_deleted().

%% Nor is anything left of who has fixed them: this process, and one that waits.
fixed_when_deleted() ->
    Self = self(),
    Other = spawn_link(fun Loop() -> receive T -> true = ets:safe_fixtable(T, true), Self ! fixed, Loop() end end),
    Delete = fun() ->
                     T = ets:new(t, [public]),
                     true = ets:insert(T, {a, b}),
                     true = ets:safe_fixtable(T, true),
                     Other ! T,
                     receive fixed -> ok end,
                     true = ets:delete(T)
             end,
    Delete(),
    Before = tables_memory(),
    [Delete() || _ <- lists:seq(1, 100)],
    {message_queue_len, 0} = process_info(Other, message_queue_len),
    io:format("~p~n", [tables_memory() - Before < 100 * 64]).

tables_memory() ->
    _ = [erts_debug:set_internal_state(wait, What) || What <- [thread_progress, deallocations]],
    erlang:memory(ets).
