%% What the recorder (test/distribution/record) has two stock nodes do: each operation between nodes, in both ways.
-module(operations).
-export([answer/0, ask/1, serve/0, silent/1, ended/1]).

answer() -> register(answers, spawn(fun serve/0)).

ask([Name]) ->
    Node = list_to_atom(Name),
    true = connect(Node, 50),
    register(asks, self()),
    process_flag(trap_exit, true),
    %% Both run all of it against the other.
    all(Node),
    {_, Ref} = spawn_monitor(Node, fun() ->
                                           register(asks, self()),
                                           process_flag(trap_exit, true),
                                           all('asks@localhost')
                                   end),
    receive {'DOWN', Ref, _, _, normal} -> ok end,
    halt(0).

connect(_, 0) -> false;
connect(Node, N) -> net_kernel:connect_node(Node) orelse begin timer:sleep(100), connect(Node, N - 1) end.

all(Node) ->
    Peer = spawn(Node, ?MODULE, serve, []),
    [begin Do(Peer, Node), flush() end || Do <- [fun sends/2, fun terms/2, fun atoms/2, fun large/2, fun links/2,
                                                  fun monitors/2, fun exits/2, fun spawns/2, fun group_leaders/2]],
    [begin
         seq_trace:set_token(label, {17, label}),
         seq_trace:set_token(send, true),
         Do(Peer, Node),
         seq_trace:set_token([]),
         flush()
     end || Do <- [fun sends/2, fun exits/2, fun spawns/2]],
    unlink(Peer),
    exit(Peer, kill),
    ok.

flush() -> receive _ -> flush() after 20 -> ok end.

call(Peer, Request) ->
    Peer ! {self(), Request},
    receive {answer, Peer, Answer} -> Answer end.

serve() ->
    receive
        {From, alias} -> From ! {answer, self(), alias()}, serve();
        {From, {stop, Reason}} -> From ! {answer, self(), ok}, exit(Reason);
        {From, Other} -> From ! {answer, self(), Other}, serve();
        _ -> serve()
    end.

sends(Peer, Node) ->
    1 = call(Peer, 1),
    Alias = call(Peer, alias),
    Alias ! to_alias,
    {serve, Node} ! nobody,
    {answers, Node} ! somebody_perhaps,
    [] = call(Peer, []).

terms(Peer, _) ->
    Port = hd(erlang:ports()),
    X = 1 bsl 70,
    Numbers = [0, 255, 256, -1, 1 bsl 31, -(1 bsl 31), 1 bsl 59, X, -X, 1 bsl 2100, 1.5, -0.0],
    Data = ["text", [1, 2 | 3], [300, a], {}, {a, {b, {c}}}, list_to_tuple(lists:seq(1, 300)), <<>>, <<"bytes">>,
            <<1:3>>, <<0:800>>, #{}, #{a => 1, "b" => 2.0}, maps:from_list([{N, a} || N <- lists:seq(1, 40)])],
    Names = [self(), Peer, Port, make_ref(), fun lists:map/2, fun() -> X end, '', 'ÅÄÖ', 'λ'],
    [T = call(Peer, T) || T <- Numbers ++ Data ++ Names],
    ok.

atoms(Peer, _) ->
    Many = [list_to_atom("a" ++ integer_to_list(N)) || N <- lists:seq(1, 260)],
    Many = call(Peer, Many),
    Many = call(Peer, Many),
    Long = [list_to_atom(lists:duplicate(255, C)) || C <- [$l, 16#3bb, 16#1f600]],
    Long = call(Peer, Long),
    Long = call(Peer, Long),
    Odd = {list_to_atom(lists:duplicate(255, 16#20ac)), odd, even},
    Odd = call(Peer, Odd).

large(Peer, _) ->
    Three = {three, <<0:(8 * 150000)>>},
    Three = call(Peer, Three),
    Two = {binary:copy(<<1>>, 40000), binary:copy(<<2>>, 40000), done},
    Two = call(Peer, Two).

links(Peer, _) ->
    link(Peer), 1 = call(Peer, 1), unlink(Peer), 2 = call(Peer, 2), link(Peer), unlink(Peer), 3 = call(Peer, 3),
    Other = spawn(node(Peer), ?MODULE, serve, []),
    link(Other),
    call(Other, {stop, {reason, of_link}}),
    receive {'EXIT', Other, {reason, of_link}} -> ok end,
    link(Other),
    receive {'EXIT', Other, noproc} -> ok end.

monitors(Peer, Node) ->
    M = monitor(process, Peer), 1 = call(Peer, 1), demonitor(M), 2 = call(Peer, 2),
    N = monitor(process, {nobody_here, Node}),
    receive {'DOWN', N, _, _, noproc} -> ok end,
    S = monitor(process, {kernel_sup, Node}), 3 = call(Peer, 3), demonitor(S),
    Other = spawn(Node, ?MODULE, serve, []),
    A = monitor(process, Other, [{alias, demonitor}]),
    call(Other, {stop, {reason, "of monitor"}}),
    receive {'DOWN', A, _, _, {reason, "of monitor"}} -> ok end.

silent(Reason) -> process_flag(trap_exit, true), receive {'EXIT', _, Reason} -> ok end.
ended(Reason) -> exit(Reason).

exits(_, Node) ->
    Silent = spawn_link(Node, ?MODULE, silent, [reason_of_exit]),
    exit(Silent, reason_of_exit),
    receive {'EXIT', Silent, normal} -> ok end,
    Ended = spawn_link(Node, ?MODULE, ended, [reason_of_end]),
    receive {'EXIT', Ended, reason_of_end} -> ok end,
    %% With a token of its own, and one that ends here: the other one hears of it
    Far = spawn(Node, ?MODULE, serve, []),
    {Near, Ref} = spawn_monitor(fun() -> link(Far), Far ! token, exit(near_end) end),
    receive {'DOWN', Ref, _, Near, near_end} -> ok end.

spawns(_, Node) ->
    Options = [link, monitor, {reply, yes}, {reply_tag, tag}, {priority, high}, {min_heap_size, 1000}],
    R = spawn_request(Node, ?MODULE, ended, [normal], Options),
    receive {'DOWN', R, _, _, normal} -> ok end,
    Q = spawn_request(Node, ?MODULE, ended, [normal], [{reply, error_only}, {max_heap_size, bad}]),
    receive {spawn_reply, Q, error, badopt} -> ok end,
    S = spawn_request(Node, ?MODULE, ended, [normal], [monitor]),
    receive {spawn_reply, S, ok, _} -> ok end.

group_leaders(Peer, _) ->
    group_leader(self(), Peer),
    group_leader(Peer, Peer),
    1 = call(Peer, 1).
