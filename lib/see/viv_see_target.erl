%% The way to a node, on the client's side: TARGET as the user wrote it, a process number of this machine or NAME@HOST.
%%
%% open(Target, Request) gives what the node says after its greeting; it fails with {see, Text}, a complaint.
-module(viv_see_target).
-export([open/2, open_until_interrupt/2, next/1, hear/1, tell/2, stop_after/2, local/0]).
-export_type([conversation/0]).

-record(conversation, {link, buffer = <<>>}).
-opaque conversation() :: #conversation{}.
-define(VERSION, 2).
-define(PATIENCE, 5000).
-define(FIRST_WORD, 15000). % milliseconds that a node has for it
-define(FIRST_WORD_OF_ALL, 3000). % where each is asked
-define(KNOCKS, 100). % at a door before which others stand

-spec open(string(), term()) -> {conversation(), Facts :: map()}.
open(Target, Request) ->
    case greet(#conversation{link = link_to(Target)}, Target, Request, ?FIRST_WORD) of
        late -> fail("~ts does not answer: it starts, ends or is stopped", [Target]);
        Begun -> Begun
    end.

link_to(Target) ->
    case {is_pid_text(Target), string:split(Target, "@")} of
        {true, _} -> local(list_to_integer(Target));
        {false, [[_ | _], [_ | _]]} when length(Target) < 256 -> far(list_to_atom(Target)); % an atom has so much room
        _ -> fail("~ts is neither the process number of a node on this machine nor NAME@HOST", [Target])
    end.

is_pid_text(Text) ->
    Text =/= "" andalso length(Text) < 12 andalso lists:all(fun(C) -> C >= $0 andalso C =< $9 end, Text).

greet(#conversation{link = crowded}, _, _, _) -> late;
greet(C, Target, Request, Patience) ->
    said = said(tell(C, {viv_see, ?VERSION, Request}), Target),
    case first_word(C, Patience) of
        late -> late;
        {{viv_see, ?VERSION, {node, Facts}}, Next} -> {Next, Facts};
        {{viv_see, _, {error, {version, Version}}}, _} ->
            fail("~ts speaks version ~p of the protocol, this program ~p", [Target, Version, ?VERSION]);
        {{viv_see, _, {error, unknown}}, _} -> does_not_know(Target);
        {{viv_see, _, {error, Why}}, _} when is_binary(Why) -> fail("~ts", [Why]);
        eof when Request =/= node -> not_understood(Target);
        _ -> closed(Target)
    end.

%% Who connects is let in by the system: the node may be stopped, or end, and never say a word.
first_word(C = #conversation{link = {far, _, _}}, _) -> next(C); % it has just answered
first_word(C = #conversation{link = Link}, Patience) ->
    {Watch, Ref} = spawn_monitor(fun() ->
                                         receive said -> ok
                                         after Patience ->
                                             viv_see_link:close(Link),
                                             exit(late)
                                         end
                                 end),
    Word = next(C),
    Watch ! said,
    receive
        {'DOWN', Ref, process, Watch, late} -> late;
        {'DOWN', Ref, process, Watch, _} -> Word
    end.

%% A node closes the connection when a request has atoms that it has not got, as one of a later version may. Does it
%% answer at all?
not_understood(Target) ->
    {#conversation{link = Link}, _} = open(Target, node),
    viv_see_link:close(Link),
    does_not_know(Target).

does_not_know(Target) -> fail("~ts runs a version that does not know this command", [Target]).

said(ok, _) -> said;
said(closed, Target) -> closed(Target).

closed(Target) -> fail("~ts has closed the connection", [Target]).

%% The next that the node says; waits.
-spec next(conversation()) -> {term(), conversation()} | eof.
next(C = #conversation{link = Link, buffer = Buffer}) ->
    case viv_see_frame:take(Buffer, unsafe) of
        {ok, Term, Rest} -> {Term, C#conversation{buffer = Rest}};
        bad -> eof;
        more ->
            case viv_see_link:recv(Link) of
                {ok, Bytes} -> next(C#conversation{buffer = <<Buffer/binary, Bytes/binary>>});
                eof -> eof
            end
    end.

%% The same, of a node that is expected to say more.
-spec hear(conversation()) -> {term(), conversation()}.
hear(C) ->
    case next(C) of
        eof -> fail("the node has closed the connection", []);
        Heard -> Heard
    end.

-spec tell(conversation(), term()) -> ok | closed.
tell(#conversation{link = Link}, What) -> viv_see_link:tell(Link, What).

%% As open/2, and ^C asks the node for the end of it; the second ends the program. It is waited for before the node
%% begins: one that comes as soon as the node shows that it has begun is not lost, nor does it end the program without a
%% word.
-spec open_until_interrupt(string(), term()) -> {conversation(), map()}.
open_until_interrupt(Target, Request) ->
    Fd = viv_see:interrupts(),
    {C, Facts} = open(Target, Request),
    Known = self(),
    _ = spawn_link(fun() ->
                           put(viv_see_known_as, Known),
                           _ = is_integer(Fd) andalso viv_io:wait(Fd) =:= ok andalso tell(C, stop)
                   end),
    {C, Facts}.

%% So does the time.
-spec stop_after(pos_integer() | infinity, conversation()) -> ok.
stop_after(infinity, _) -> ok;
stop_after(Time, C) ->
    Known = self(),
    _ = spawn_link(fun() ->
                           put(viv_see_known_as, Known),
                           receive after Time -> tell(C, stop) end
                   end),
    ok.

-spec fail(string(), [term()]) -> no_return().
fail(Format, Arguments) -> throw({see, unicode:characters_to_binary(io_lib:format(Format, Arguments))}).

%% --- nodes of this machine ----------------------------------------------------------------------------------------

local(Pid) ->
    Name = integer_to_binary(Pid),
    connect([<<Folder/binary, $/, Name/binary>> || Folder <- viv_see:folders() ++ folders_of(Name)], Name, none).

connect([Path | Paths], Name, Before) ->
    case knock(Path, ?KNOCKS) of
        {ok, Link} -> Link;
        {error, econnrefused} -> % nobody is behind it, unless one that has the number now has just taken the name over
            _ = is_alive(Name) orelse prim_file:delete(Path),
            connect(Paths, Name, Before);
        {error, enoent} -> connect(Paths, Name, Before);
        {error, Reason} -> connect(Paths, Name, {Path, Reason})
    end;
connect([], Name, none) ->
    case is_alive(Name) of
        true -> fail("process ~ts has no local socket: it is no node of viv, or one with +unseen, or a program "
                     "that was started without +seen", [Name]);
        false -> fail("there is no process ~ts", [Name])
    end;
connect([], Name, {Path, eacces}) ->
    fail("process ~ts is somebody else's, or its folder is not closed to others: ~ts", [Name, Path]);
connect([], _, {_, eagain}) -> crowded; % those who have knocked and gone are there, too, until he opens
connect([], _, {Path, Reason}) -> fail("~ts: ~ts", [Path, file:format_error(Reason)]).

knock(Path, Times) ->
    case viv_see_link:connect(Path) of
        {error, eagain} when Times > 0 ->
            receive after 20 -> knock(Path, Times - 1) end;
        Answer -> Answer
    end.

is_alive(Name) ->
    case prim_file:read_file_info(<<"/proc/", Name/binary>>) of
        {ok, _} -> true;
        _ -> false
    end.

%% Where a process of another user's, or one with another environment, would have its socket.
folders_of(Name) ->
    Process = <<"/proc/", Name/binary>>,
    Session = case prim_file:read_file(<<Process/binary, "/environ">>) of
                  {ok, Environment} ->
                      [<<Folder/binary, "/viv">>
                       || <<"XDG_RUNTIME_DIR=", Folder/binary>> <- binary:split(Environment, <<0>>, [global])];
                  _ -> []
              end,
    case prim_file:read_file_info(Process) of
        {ok, Info} -> Session ++ [<<"/tmp/viv-", (integer_to_binary(element(13, Info)))/binary>>]; % #file_info.uid
        _ -> Session
    end -- viv_see:folders().

%% The nodes of this user, of those that answer soon with their facts. Sockets that nobody is behind are removed.
-spec local() -> [{integer(), map() | late}].
local() ->
    Numbers = [Name || Folder <- viv_see:folders(), {ok, Names} <- [prim_file:list_dir(Folder)], Name <- Names,
                       is_pid_text(Name)],
    Asked = [{list_to_integer(Name), spawn_monitor(fun() -> exit({says, greeting(Name)}) end)} || Name <- Numbers],
    lists:sort([{Number, Facts} || {Number, {Pid, Ref}} <- Asked,
                                   {says, Facts} <- [receive {'DOWN', Ref, process, Pid, Why} -> Why end],
                                   Facts =/= none]).

greeting(Name) ->
    try greet(#conversation{link = link_to(Name)}, Name, node, ?FIRST_WORD_OF_ALL) of
        {_, Facts} -> Facts;
        late -> late
    catch
        throw:{see, _} -> none
    end.

%% --- by distribution ------------------------------------------------------------------------------------------------

far(Node) ->
    be_a_node(Node),
    case net_kernel:connect_node(Node) of
        true -> come(Node);
        _ -> fail("~ts cannot be reached: it does not run, or has another cookie (see ~~/.erlang.cookie)", [Node])
    end.

%% A hidden one that nobody connects to.
be_a_node(_) when node() =/= nonode@nohost -> ok;
be_a_node(Node) ->
    [_, Host] = string:split(atom_to_list(Node), "@"),
    {Domain, Own} = case lists:member($., Host) of
                        true -> {longnames, "@" ++ own_host()};
                        false -> {shortnames, ""}
                    end,
    Name = list_to_atom("viv_see_" ++ os:getpid() ++ Own),
    case net_kernel:start(Name, #{name_domain => Domain, hidden => true, dist_listen => false}) of
        {ok, _} -> ok;
        {error, _} -> fail("this program cannot become a node to reach ~ts (~ts)", [Node, Domain])
    end.

%% A long name wants a host with a dot, which many machines have not got: their address is one. It tells the clients of
%% two machines apart, nobody connects to it.
own_host() ->
    Interfaces = case inet:getifaddrs() of
                     {ok, Found} -> Found;
                     {error, _} -> []
                 end,
    Addresses = [Address || {_, Options} <- Interfaces, {addr, Address} <- Options, tuple_size(Address) =:= 4],
    inet:ntoa(hd([Address || Address <- Addresses, element(1, Address) =/= 127] ++ [{127, 0, 0, 1}])).

come(Node) ->
    try erpc:call(Node, viv_see, come, [self()], ?PATIENCE) of
        Pid -> viv_see_link:far(Pid)
    catch
        error:{exception, undef, [{viv_see, come, _, _} | _]} -> fail("~ts is no node of viv", [Node]);
        error:{erpc, Why} -> fail("~ts does not answer: ~p", [Node, Why]);
        _:Why -> fail("~ts does not serve: ~0p", [Node, Why])
    end.
