%% A node that is none: it shakes hands as one of chosen abilities, and shows each control message that comes. It is
%% known to nobody (no epmd), hidden unless it says published, and its name is its own.
-module(raw_peer).
-export([connect/3, connect/4, tell/2, tell/3, tell_at_once/2, next/1, close/1, pid/2, pid/3, reference/2, all/0]).

-define(LONG, 90000).
-define(CREATION, 77).

%% Numbers of what a node of OTP 25 can do (ERTS User's Guide, "Distribution Protocol"), but for the cache of atoms.
all() ->
    #{published => 0, references => 2, monitor => 3, fun_tags => 4, monitor_name => 5, new_fun_tags => 7,
      pids_ports => 8, export_tag => 9, bit_binaries => 10,
      new_floats => 11, unicode_io => 12, small_atoms => 14, utf8_atoms => 16,
      maps => 17, big_creation => 18, send_sender => 19, seq_labels => 20, exit_payload => 22, fragments => 23,
      handshake_23 => 24, unlink_id => 25, mandatory_25 => 26, spawn => 32, name_me => 33, v4_nc => 34, alias => 35}.

connect(Node, Name, Abilities) -> connect(Node, Name, Abilities, ?CREATION).

connect(Node, Name, Abilities, Creation) ->
    [Short, Host] = string:split(atom_to_list(Node), "@"),
    {port, Port, _} = erl_epmd:port_please(Short, Host),
    {ok, S} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {packet, 2}, {active, false}]),
    Flags = lists:sum([1 bsl maps:get(A, all()) || A <- Abilities]),
    Text = atom_to_binary(Name),
    ok = gen_tcp:send(S, <<$N, Flags:64, Creation:32, (byte_size(Text)):16, Text/binary>>),
    case gen_tcp:recv(S, 0, ?LONG) of
        {ok, <<"sok", _/binary>>} -> shake(S, lists:member(fragments, Abilities));
        Other -> gen_tcp:close(S), {refused, Other}
    end.

shake(S, HasHeaders) ->
    {ok, <<$N, Flags:64, Challenge:32, _/binary>>} = gen_tcp:recv(S, 0, ?LONG),
    ok = gen_tcp:send(S, <<$r, 4711:32, (digest(Challenge))/binary>>),
    {ok, <<$a, Answer/binary>>} = gen_tcp:recv(S, 0, ?LONG),
    Answer = digest(4711),
    ok = inet:setopts(S, [{packet, raw}]), % one process may send while another reads
    {S, HasHeaders, [A || {A, Bit} <- lists:sort(maps:to_list(all())), Flags band (1 bsl Bit) =/= 0]}.

digest(Challenge) -> erlang:md5([atom_to_list(erlang:get_cookie()), integer_to_list(Challenge)]).

close({S, _, _}) -> gen_tcp:close(S).

tell(Peer, Control) -> tell_terms(Peer, [Control]).
tell(Peer, Control, Message) -> tell_terms(Peer, [Control, Message]).

%% Some packets, which come together: each is a list of terms.
tell_at_once({S, _, _} = Peer, Packets) -> ok = gen_tcp:send(S, [framed(packet(Peer, Terms)) || Terms <- Packets]).

tell_terms({S, _, _} = Peer, Terms) -> ok = gen_tcp:send(S, framed(packet(Peer, Terms))).

framed(Packet) -> [<<(iolist_size(Packet)):32>>, Packet].

received(S) ->
    case gen_tcp:recv(S, 4, ?LONG) of
        {ok, <<0:32>>} -> {ok, <<>>};
        {ok, <<Size:32>>} -> gen_tcp:recv(S, Size, ?LONG);
        Other -> Other
    end.

%% Who can do fragments puts headers before its terms, atoms or no.
packet({_, true, _}, Terms) -> [<<131, 68, 0>> | [bare(term_to_binary(T)) || T <- Terms]];
packet({_, false, _}, Terms) -> [112 | [term_to_binary(T) || T <- Terms]].

bare(<<131, Bytes/binary>>) -> Bytes.

%% {Control} or {Control, Message}; fragments are put together. What another sender said between them comes after them.
next({S, _, _} = Peer) ->
    case erase({between, S}) of
        undefined -> next_of(Peer);
        [First] -> First;
        [First | Others] -> put({between, S}, Others), First
    end.

next_of({S, HasHeaders, _} = Peer) ->
    case received(S) of
        {ok, <<>>} -> next(Peer);
        {ok, <<112, Terms/binary>>} when not HasHeaders -> terms(Terms);
        {ok, <<131, 68, 0, Terms/binary>>} when HasHeaders -> bare_terms(Terms);
        {ok, <<131, 69, Sequence:64, Count:64, 0, Part/binary>>} -> fragments(S, Sequence, Count - 1, [Part]);
        Other -> Other
    end.

%% Its peer keeps no atoms, so that it has none to name by numbers.
fragments(_, _, 0, Parts) -> bare_terms(iolist_to_binary(lists:reverse(Parts)));
fragments(S, Sequence, Count, Parts) ->
    case received(S) of
        {ok, <<131, 70, Sequence:64, Count:64, Part/binary>>} -> fragments(S, Sequence, Count - 1, [Part | Parts]);
        {ok, <<131, 68, 0, Terms/binary>>} ->
            Before = case get({between, S}) of undefined -> []; Some -> Some end,
            put({between, S}, Before ++ [bare_terms(Terms)]),
            fragments(S, Sequence, Count, Parts);
        {ok, <<>>} -> fragments(S, Sequence, Count, Parts)
    end.

terms(Bytes) ->
    {Control, Used} = binary_to_term(Bytes, [used]),
    case Bytes of
        <<_:Used/binary>> -> {Control};
        <<_:Used/binary, Rest/binary>> -> {Control, binary_to_term(Rest)}
    end.

bare_terms(Bytes) ->
    {Control, Used} = binary_to_term(<<131, Bytes/binary>>, [used]),
    case <<131, Bytes/binary>> of
        <<_:Used/binary>> -> {Control};
        <<_:Used/binary, Rest/binary>> -> {Control, binary_to_term(<<131, Rest/binary>>)}
    end.

%% Identifiers that are its own.
pid(Name, Number) -> pid(Name, Number, ?CREATION).
pid(Name, Number, Creation) -> binary_to_term(<<131, 88, (name(Name))/binary, Number:32, 0:32, Creation:32>>).
reference(Name, Number) -> binary_to_term(<<131, 90, 3:16, (name(Name))/binary, ?CREATION:32, Number:32, 2:32, 3:32>>).

name(Name) -> Text = atom_to_binary(Name), <<119, (byte_size(Text)), Text/binary>>.
