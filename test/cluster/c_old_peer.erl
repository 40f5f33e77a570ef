%% What a node says to peers that can do less than it can: peers of old releases, and C nodes.
-module(c_old_peer).
-export([main/0, idle/0]).

-import(cluster, [do/2, call/2, call/4, start/1, wait/1]).

-define(OLD, old@localhost).

main() ->
    B = start(b),
    do("what it can do", fun() -> {_, _, Can} = P = peer(B, all()), end_peer(B, P), Can end),
    [messages(B, Name, Less) || {Name, Less} <- lacks()],
    [refused(B, Name) || Name <- mandatory()],
    [from_old(B, Name, Less) || {Name, Less} <- lacks()].

all() -> maps:keys(raw_peer:all()) -- [name_me, published].

mandatory() -> [references, fun_tags, new_fun_tags, pids_ports, export_tag, bit_binaries, new_floats, utf8_atoms, maps,
                big_creation, handshake_23].

lacks() ->
    [{"nothing", []}, {"seq_labels", [seq_labels]}, {"exit_payload", [exit_payload]}, {"fragments", [fragments]},
     {"unlink_id", [unlink_id]}, {"spawn", [spawn]}, {"alias", [alias]}, {"send_sender", [send_sender]},
     {"monitor", [monitor]}, {"monitor_name", [monitor_name]}, {"both monitors", [monitor, monitor_name]},
     {"v4_nc", [v4_nc]}, {"small_atoms", [small_atoms]}, {"unicode_io", [unicode_io]},
     {"all of them", all() -- mandatory()}].

%% Who is not up within the time that a node gives him (net_setuptime, 7 s, on a busy machine) connects again.
peer(B, Abilities) -> peer(B, Abilities, 4).

peer(B, Abilities, Tries) ->
    Peer = raw_peer:connect(B, ?OLD, Abilities),
    Until = erlang:monotonic_time(millisecond) + 20000,
    case cluster:is_soon(fun() -> lists:member(?OLD, call(B, erlang, nodes, [connected])) end, Until) of
        true -> Peer;
        false when Tries > 1 ->
            end_peer(B, Peer),
            peer(B, Abilities, Tries - 1);
        false ->
            error({not_up, [{nodes, call(B, erlang, nodes, [known])}, {ets, call(B, ets, tab2list, [sys_dist])},
                            {state, call(B, sys, get_state, [net_kernel])},
                            {ports, call(B, fun() -> [erlang:port_info(P) || P <- erlang:ports()] end)}]})
    end.

end_peer(B, Peer) ->
    raw_peer:close(Peer),
    cluster:forgets(B, ?OLD).

idle() -> receive stop -> ok end.

%% What comes until the mark, with names for who is who. Each case has a connection of its own.
said(B, Less, Do) ->
    Peer = peer(B, all() -- Less),
    try
        Pid = raw_peer:pid(?OLD, 5),
        call(B, erlang, spawn, [fun() ->
            {Runs, M} = spawn_monitor(fun() -> Do(Pid) end),
            receive {'DOWN', M, _, Runs, Reason} -> {?OLD, ?OLD} ! {mark, Reason} end
        end]),
        until_mark(Peer, [])
    after end_peer(B, Peer)
    end.

%% Asked: what is still to be answered. The process there says when that may be.
until_mark(Peer, Asked) ->
    case raw_peer:next(Peer) of
        {_, {mark, Reason}} -> [{ended, Reason}];
        {{6, From, _, _}, please_end_it} ->
            [answer(Peer, A) || A <- Asked],
            raw_peer:tell(Peer, {2, '', From}, all_is_answered),
            until_mark(Peer, []);
        {{6, _, '', Name}, _} when Name =:= rex; Name =:= global_name_server -> until_mark(Peer, Asked);
        {error, Reason} -> [{error, Reason}];
        Other -> answer_at_once(Peer, Other), [short(Other) | until_mark(Peer, [Other | Asked])]
    end.

answer(Peer, {{19, From, To, Ref}}) -> raw_peer:tell(Peer, {21, To, From, Ref, told});
answer(_, _) -> ok.

answer_at_once(Peer, {{29, Ref, From, _, _, _}, _}) -> raw_peer:tell(Peer, {31, Ref, From, 0, told});
answer_at_once(_, _) -> ok.

short({{35, _, From, To}}) -> {{35, number, short(From), short(To)}};
short(T) when is_binary(T), byte_size(T) > 100 -> {binary, byte_size(T)};
short(T) when is_tuple(T) -> list_to_tuple(short(tuple_to_list(T)));
short([H | T]) -> [short(H) | short(T)];
short(N) when is_integer(N), N > 1 bsl 20 -> large;
short(T) when is_pid(T) -> case node(T) of ?OLD -> old_pid; _ -> pid end;
short(T) -> T.

messages(B, Name, Less) ->
    [do([Name, " is lacking: ", What], fun() -> said(B, Less, Do) end) || {What, Do} <- actions()].

actions() ->
    Ref = raw_peer:reference(?OLD, 9),
    [{"messages", fun(P) -> P ! hello, {name, ?OLD} ! hello, Ref ! hello end},
     {"terms", fun(P) -> P ! {1.5, <<1:3>>, fun lists:map/2, #{a => b}, list_to_atom(lists:duplicate(200, $a)), 'å€',
                              is_function(fun() -> P end)} end},
     {"a large message", fun(P) -> P ! binary:copy(<<"a">>, 200000) end},
     {"links", fun(P) -> link(P), link(P), unlink(P), link(P), exit(reason) end},
     {"exits", fun(P) -> exit(P, reason), exit(P, {large, binary:copy(<<"a">>, 100000)}), exit(P, kill) end},
     {"monitors", fun(P) ->
          M = monitor(process, P), demonitor(M, [flush]), N = monitor(process, {name, ?OLD}), demonitor(N, [flush]),
          _ = monitor(process, P, [{alias, demonitor}]) end},
     {"what monitors tell", fun(_) ->
          monitor(process, {name, ?OLD}, [{tag, tagged}]),
          {?OLD, ?OLD} ! please_end_it,
          receive {tagged, _, process, Of, Reason} -> exit({Of, Reason}); all_is_answered -> none end end},
     {"what a monitor of a pid tells", fun(P) ->
          M = monitor(process, P),
          {?OLD, ?OLD} ! please_end_it,
          receive
              {'DOWN', M, process, P, Reason} -> exit({Reason, demonitor(M, [info])});
              all_is_answered -> none
          end end},
     {"what spawn_request tells", fun(_) ->
          R = spawn_request(?OLD, ?MODULE, idle, [], [{reply_tag, tagged}]),
          receive {tagged, R, error, Reason} -> exit({Reason, spawn_request_abandon(R)}) end end},
     {"spawn", fun(_) -> exit(catch spawn(?OLD, ?MODULE, idle, [])) end},
     {"spawn_link", fun(_) -> process_flag(trap_exit, true), exit(catch spawn_link(?OLD, ?MODULE, idle, [])) end},
     {"spawn_opt", fun(_) ->
          {P, _} = spawn_opt(?OLD, ?MODULE, idle, [], [monitor]),
          exit({P, receive {'DOWN', _, _, _, R} -> R end}) end},
     {"group leader", fun(P) -> group_leader(self(), P) end},
     {"a token", fun(P) -> token(17), P ! hello, {name, ?OLD} ! hello, link(P), exit(reason) end},
     {"a token with a label", fun(P) -> token({a, label}), P ! hello, {name, ?OLD} ! hello, link(P), exit(reason) end},
     {"tokens with numbers", fun(P) ->
          [begin token(L), P ! {hello, integer_to_list(L)} end || L <- [-1, (1 bsl 27) - 1, 1 bsl 27, (1 bsl 31) - 1,
              1 bsl 31, -(1 bsl 27), -(1 bsl 27) - 1, 1 bsl 58, 1 bsl 62]] end},
     {"tokens of exit/2", fun(P) -> token(19), exit(P, reason), token(label), exit(P, reason) end},
     {"a token at an alias", fun(_) -> token(20), Ref ! hello, token(label), Ref ! hello end},
     {"spawn_request", fun(_) -> spawn_request(?OLD, ?MODULE, idle, []) end},
     {"spawn_request with a token", fun(_) ->
          token(18), spawn_request(?OLD, ?MODULE, idle, [], [link]),
          token(label), spawn_request(?OLD, ?MODULE, idle, [], [link]) end}].

token(Label) -> seq_trace:set_token(label, Label), seq_trace:set_token(send, true).

%% Without one of these there is no connection.
refused(B, Name) ->
    do(["refused for lack of ", atom_to_list(Name)], fun() ->
        case raw_peer:connect(B, ?OLD, all() -- [Name]) of
            {refused, {R, _}} -> {refused, R};
            Peer -> end_peer(B, Peer), accepted
        end
    end).

%% What such a peer says itself.
from_old(B, Name, Less) ->
    do([Name, " is lacking, and it says"], fun() ->
        Peer = peer(B, all() -- Less),
        Pid = raw_peer:pid(?OLD, 5),
        Ref = raw_peer:reference(?OLD, 10),
        Echo = call(B, fun() -> P = spawn(fun echo/0), register(echo, P), P end),
        raw_peer:tell(Peer, {2, '', Echo}, {Pid, send}),
        R1 = raw_peer:next(Peer),
        raw_peer:tell(Peer, {22, Pid, Echo}, {Pid, send_sender}),
        R2 = raw_peer:next(Peer),
        raw_peer:tell(Peer, {6, Pid, '', echo}, {Pid, reg_send}),
        R3 = raw_peer:next(Peer),
        raw_peer:tell(Peer, {12, '', Echo, {1, 5, 7, Pid, 6}}, {Pid, send_tt}),
        R4 = raw_peer:next(Peer),
        raw_peer:tell(Peer, {1, Pid, Echo}),
        raw_peer:tell(Peer, {4, Pid, Echo}),
        raw_peer:tell(Peer, {1, Pid, Echo}),
        raw_peer:tell(Peer, {2, '', Echo}, {Pid, links}),
        R5 = raw_peer:next(Peer),
        raw_peer:tell(Peer, {19, Pid, Echo, Ref}),
        raw_peer:tell(Peer, {8, Pid, Echo, an_exit}),
        IsTold = Less -- [monitor, monitor_name] =:= Less,
        R6 = [raw_peer:next(Peer) || _ <- [1 | [2 || IsTold]]],
        Gone = not call(B, erlang, is_process_alive, [Echo]),
        end_peer(B, Peer),
        [short(R) || R <- [R1, R2, R3, R4, R5, lists:sort(R6), Gone]]
    end).

echo() ->
    receive
        {P, links} -> P ! {links, process_info(self(), links)}, echo();
        {P, What} -> P ! {What, seq_trace:get_token()}, echo()
    end.
