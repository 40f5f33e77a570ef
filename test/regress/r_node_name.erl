%% A node is given its name while a process is registered as net_kernel, which says when that ends: with it.
%% Not under leaks: what this node was called once stays.
-module(r_node_name).
-export([main/0]).

main() ->
    P = self(),
    R = make_ref(),
    Old = term_to_binary({P, R}),
    show(nobody, fun() -> erlang:setnode(a@b, 5) end),
    Port = open_port({spawn, "cat"}, []),
    register(net_kernel, Port),
    show(port, fun() -> erlang:setnode(a@b, 5) end),
    port_close(Port),
    lists:foreach(fun({Name, Creation}) -> lives(Name, Creation, P, R, Old) end,
                  [{a, 5}, {'a@', 5}, {'@b', 5}, {a@b@c, 5}, {"a@b", 5}, {nonode@nohost, 5}, {<<"a@b">>, 5},
                   {list_to_atom(lists:duplicate(253, $a) ++ "@b"), 4}, {'å@ö', 5}, {'a.b@c', 5}, {'-_9@å ö.', 5}, {a@b, -1}, {a@b, x}, {a@b, 1.0},
                   {a@b, 1 bsl 32}, {a@b, 1 bsl 64}, {a@b, 1 bsl 59 - 1}, {a@b, 1 bsl 59}] ++
                  [{a@b, Creation} || Creation <- [0, 1, 2, 3, 4, 16#ffffffff]]),
    ends_while_named(200),
    ok.

lives(Name, Creation, P, R, Old) ->
    Kernel = spawn(fun kernel/0),
    register(net_kernel, Kernel),
    Kernel ! {set, self(), Name, Creation},
    Said = receive {said, Answer} -> Answer end,
    io:format("~0tp ~0p: ~0p ~0tp~n", [Name, Creation, Said, [node(), is_alive(), erts_internal:get_creation(),
               erlang:system_info(creation), nodes(this), nodes(), nodes(connected), node(P) =:= node(), node(R) =:= node(),
               self() =:= P, binary_to_term(term_to_binary({P, R})) =:= {P, R}, binary_to_term(Old) =:= {P, R},
               show_node(element(1, binary_to_term(Old)))]]),
    show(again, fun() -> erlang:setnode(c@d, 7) end),
    unregister(net_kernel),
    io:format("without its name: ~0tp~n", [node()]),
    M = monitor(process, Kernel),
    exit(Kernel, kill),
    receive {'DOWN', M, _, _, _} -> io:format("~0tp~n", [[node(), is_alive(), erts_internal:get_creation()]]) end.

show_node(Pid) -> node(Pid).

kernel() ->
    receive
        {set, From, Name, Creation} ->
            From ! {said, try erlang:setnode(Name, Creation) catch C:E -> {C, E} end},
            kernel()
    end.

show(What, F) -> io:format("~0tp ~0p~n", [What, try F() catch C:E -> {C, E} end]).

%% It may end in the very moment: then there is no name, or it is gone when the end is told.
ends_while_named(0) -> io:format("~0p~n", [node()]);
ends_while_named(N) ->
    {Kernel, M} = spawn_monitor(fun() -> receive never -> ok end end),
    register(net_kernel, Kernel),
    Killer = spawn_monitor(fun() -> exit(Kernel, kill) end),
    _ = try erlang:setnode(a@b, N) catch error:badarg -> false end,
    receive {'DOWN', M, _, _, _} -> ok end,
    case node() of nonode@nohost -> ok; Other -> io:format("~p~n", [Other]) end,
    {_, M2} = Killer,
    receive {'DOWN', M2, _, _, _} -> ok end,
    ends_while_named(N - 1).
