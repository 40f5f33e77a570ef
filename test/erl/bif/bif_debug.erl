%% erts_debug, erts_internal: sharing and sizes, the inside of large maps; and erlang:process_display/2.
-module(bif_debug).
-export([main/0]).
-include("../t.hrl").

main() ->
    L = id(lists:seq(1, 3)),
    T = {L, L, [L | L]},
    M = fun(N) -> maps:from_list([{I, I} || I <- lists:seq(1, N)]) end,
    t(size_shared, fun() -> [erts_debug:size_shared(X) || X <- [1, a, [], T, L, [T | T], {T, T}, self()]] end),
    t(size, fun() -> [erts_debug:size(X) || X <- [1, a, [], T, L, [T | T], {T, T}, #{a => L, b => L}]] end),
    t(size_large, fun() -> [erts_debug:size(M(N)) > 2 * N || N <- [33, 100, 5000]] end),
    t(flat_size, fun() -> [erts_debug:flat_size(X) || X <- [1, a, [], T, L, [T | T], {T, T}, <<1, 2>>]] end),
    [t({copy_shared, F}, fun() ->
         C = F(T),
         {C =:= T, erts_debug:size(C), erts_debug:flat_size(C), erts_debug:same(element(1, C), element(2, C)),
          erts_debug:same(C, T)}
     end) || F <- [fun erts_debug:copy_shared/1]],
    [t({copy_shared, B}, fun() -> C = erts_debug:copy_shared(T, B), {C =:= T, erts_debug:size(C)} end)
     || B <- [true, false, foo]],
    t(copy_all, fun() -> [erts_debug:copy_shared(X) =:= X || X <- everything()] end),
    t(copy_deep, fun() -> D = deep(300000), erts_debug:copy_shared(D) =:= D end),
    t(size_deep, fun() -> erts_debug:size_shared(deep(100000)) end),
    [t({map_info, N}, fun() -> erts_debug:map_info(M(N)) end) || N <- [33, 34, 50, 100, 1000, 20000]],
    [t({map_info, N}, fun() -> kind(fun() -> erts_debug:map_info(X) end) end)
     || {N, X} <- [{none, x}, {empty, #{}}, {small, #{a => 1}}]],
    [t({children, N}, fun() ->
         [{erts_internal:term_type(X), case X of [K | V] -> {K, V}; _ -> node end}
          || X <- erts_internal:map_hashmap_children(M(N))]
     end) || N <- [33, 60, 100]],
    [t({children, N}, fun() -> kind(fun() -> erts_internal:map_hashmap_children(X) end) end)
     || {N, X} <- [{none, x}, {empty, #{}}, {small, #{a => 1}}]],
    t(all_children, fun() -> lists:sort(pairs(M(200))) =:= lists:sort(maps:to_list(M(200))) end),
    t(same, fun() -> [erts_debug:same(A, B) || {A, B} <- [{T, T}, {T, setelement(1, T, L)}, {1, 1}, {a, b}]] end),
    t(lcnt, fun() -> [kind(fun() -> erts_debug:lcnt_control(mask) end), erts_debug:lcnt_collect(), erts_debug:lcnt_clear()] end),
    [t({process_display, N}, fun() -> kind(fun() -> erlang:process_display(P, Type) end) end)
     || {N, P, Type} <- [{type, self(), foo}, {atom, foo, backtrace}, {gone, gone(), backtrace}, {list, [], backtrace}]],
    t(backtrace, fun() -> backtrace(element(2, process_info(self(), backtrace))) end),
    t(backtrace_other, fun() ->
        P = spawn_link(fun() -> X = id(xyzzy), receive stop -> X end end),
        wait(P),
        {backtrace, B} = process_info(P, backtrace),
        unlink(P),
        exit(P, kill),
        [re:run(B, R, [{capture, none}]) || R <- ["^Program counter: 0x[0-9a-f]{16} \\(", "y\\(0\\) +xyzzy\n",
                                                  "\n0x[0-9a-f]{16} Return addr 0x[0-9a-f]{16} \\(<terminate process normally>\\)\n$"]]
    end).

kind(F) -> try F() catch C:R -> {C, R} end.

wait(P) ->
    case process_info(P, status) of
        {status, waiting} -> ok;
        _ -> erlang:yield(), wait(P)
    end.

gone() ->
    {P, R} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', R, _, _, _} -> P end.

backtrace(B) ->
    [re:run(B, R, [{capture, none}])
     || R <- ["^Program counter: 0x[0-9a-f]{16} \\(", "Return addr 0x[0-9a-f]{16} \\(bif_debug:t/2 \\+ [0-9]+\\)\n", "\ny\\(0\\) +", "Catch 0x[0-9a-f]{16} \\(bif_debug:t/2",
              "Return addr 0x[0-9a-f]{16} \\(bif_debug:main/0"]].

pairs(Node) ->
    lists:append([case X of [K | V] -> [{K, V}]; _ -> pairs(X) end || X <- erts_internal:map_hashmap_children(Node)]).

deep(0) -> [];
deep(N) -> deep(N, []).
deep(0, T) -> T;
deep(N, T) when N rem 2 =:= 0 -> deep(N - 1, [T]);
deep(N, T) -> deep(N - 1, {T, a}).

everything() ->
    N = id(3),
    B = binary:copy(<<"abc">>, 100),
    <<_:3, Rest/bits>> = B,
    [1.5, 1 bsl 70, -(1 bsl 80), <<1, 2>>, B, Rest, make_ref(), fun(X) -> X + N end, fun lists:map/2, #{a => [1]}, self(),
     maps:from_list([{I, [I]} || I <- lists:seq(1, 50)]), [a | b], "text", {}, [B, B, {B}], ets:new(x, [])].
