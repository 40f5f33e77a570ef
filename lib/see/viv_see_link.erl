%% A connection between who looks and what is looked at: by the local door, or by distribution, with the same bytes.
%%
%%   {link, Link}     a socket (viv_see)
%%   {far, Pid, Ref}  the process at the other end, and a monitor of it, whose owner is the one that receives
-module(viv_see_link).
-export([connect/1, far/1, recv/1, send/2, send_all/2, tell/2, close/1]).
-export_type([link/0]).

-type link() :: {link, reference()} | {far, pid(), reference()}.
-define(PIECE, 65536).
-define(PATIENCE, 30000). % milliseconds until a piece of what is said must have been taken

-spec connect(binary()) -> {ok, link()} | {error, atom()}.
connect(Path) ->
    case viv_see:connect(Path) of
        {ok, Link} -> {ok, {link, Link}};
        Error -> Error
    end.

-spec far(pid()) -> link().
far(Pid) -> {far, Pid, monitor(process, Pid)}.

%% Waits for what comes.
-spec recv(link()) -> {ok, binary()} | eof.
recv({link, Link} = Whole) ->
    case viv_see:read(Link) of
        {error, _} -> eof;
        later -> % no descriptor is to be had, which waiting takes
            receive after 50 -> recv(Whole) end;
        Other -> Other
    end;
recv({far, Pid, Ref}) ->
    receive
        {viv_see, Pid, Bytes} when is_binary(Bytes) -> {ok, Bytes};
        {'DOWN', Ref, process, _, _} -> eof
    end.

%% How much of it was taken, at once: it may be nothing. Any process.
-spec send(link(), binary()) -> {ok, non_neg_integer()} | closed.
send({link, Link}, Bytes) ->
    case viv_see:write(Link, Bytes) of
        {error, _} -> closed;
        Taken -> Taken
    end;
send({far, _, _}, <<>>) -> {ok, 0};
send({far, Pid, _} = Link, <<Piece:?PIECE/binary, Rest/binary>>) when Rest =/= <<>> ->
    case send_far(Pid, Piece) of
        {ok, ?PIECE} ->
            case send(Link, Rest) of
                {ok, More} -> {ok, ?PIECE + More};
                closed -> closed
            end;
        Other -> Other
    end;
send({far, Pid, _}, Bytes) -> send_far(Pid, Bytes).

%% One process of each end sends: the one that the other end knows.
send_far(Pid, Bytes) ->
    Known = case get(viv_see_known_as) of
                undefined -> self();
                Other -> Other
            end,
    case erlang:send(Pid, {viv_see, Known, Bytes}, [nosuspend, noconnect]) of
        ok -> {ok, byte_size(Bytes)};
        nosuspend -> {ok, 0};
        noconnect -> closed
    end.

%% A term, as a frame.
-spec tell(link(), term()) -> ok | closed.
tell(Link, What) -> send_all(Link, viv_see_frame:encode(What)).

%% All of it, if each piece is taken in time: who is slow, and has much to take, is waited for.
-spec send_all(link(), binary()) -> ok | closed.
send_all(Link, <<Piece:?PIECE/binary, Rest/binary>>) when Rest =/= <<>> ->
    case send_piece(Link, Piece, ?PATIENCE) of
        ok -> send_all(Link, Rest);
        closed -> closed
    end;
send_all(Link, Bytes) -> send_piece(Link, Bytes, ?PATIENCE).

send_piece(Link, Bytes, Left) ->
    case send(Link, Bytes) of
        {ok, Taken} when Taken =:= byte_size(Bytes) -> ok;
        {ok, Taken} when Left > 0 ->
            receive after 10 -> ok end,
            send_piece(Link, binary:part(Bytes, Taken, byte_size(Bytes) - Taken), Left - 10);
        _ -> closed
    end.

-spec close(link()) -> ok.
close({link, Link}) -> viv_see:end_link(Link);
close({far, _, Ref}) -> demonitor(Ref, [flush]), ok.
