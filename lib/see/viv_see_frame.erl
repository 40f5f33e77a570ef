%% What is said on a connection: terms in the external format, each behind its size in four bytes.
%%
%% Whoever reads trusts nothing: a frame has a size that is allowed, is one whole term, is not compressed, and is no
%% deeper than so many terms within each other; and with `safe`, which is how a node reads, names no atom that is not
%% there. One that is otherwise is `bad`, and so is all that follows: the connection is closed.
-module(viv_see_frame).
-export([encode/1, take/2]).
-export_type([trust/0]).

-type trust() :: safe | unsafe.
-define(SAFE_BYTES, 1 bsl 20).
-define(UNSAFE_BYTES, 1 bsl 26).
-define(DEEPEST, 64).

-spec encode(term()) -> binary().
encode(Term) ->
    Bytes = term_to_binary(Term),
    <<(byte_size(Bytes)):32, Bytes/binary>>.

%% The first frame of what has come, or `more`: it is not whole yet.
-spec take(binary(), trust()) -> {ok, term(), binary()} | more | bad.
take(<<Size:32, _/binary>>, safe) when Size > ?SAFE_BYTES -> bad;
take(<<Size:32, _/binary>>, unsafe) when Size > ?UNSAFE_BYTES -> bad;
take(<<Size:32, Bytes:Size/binary, Rest/binary>>, Trust) ->
    case decode(Bytes, Trust) of
        {ok, Term} -> {ok, Term, Rest};
        bad -> bad
    end;
take(_, _) -> more.

decode(<<131, 80, _/binary>>, _) -> bad; % compressed: what it holds may be any size
decode(Bytes, Trust) ->
    try binary_to_term(Bytes, [used | [safe || Trust =:= safe]]) of
        {Term, Used} when Used =:= byte_size(Bytes) ->
            case is_shallow(Term, ?DEEPEST) of
                true -> {ok, Term};
                false -> bad
            end;
        _ -> bad
    catch
        error:_ -> bad
    end.

is_shallow(_, 0) -> false;
is_shallow([Head | Tail], Left) -> is_shallow(Head, Left - 1) andalso is_shallow(Tail, Left);
is_shallow(Tuple, Left) when is_tuple(Tuple) -> are_shallow(tuple_to_list(Tuple), Left - 1);
is_shallow(Map, Left) when is_map(Map) ->
    are_shallow(maps:keys(Map), Left - 1) andalso are_shallow(maps:values(Map), Left - 1);
is_shallow(_, _) -> true.

are_shallow([Term | Terms], Left) -> is_shallow(Term, Left) andalso are_shallow(Terms, Left);
are_shallow([], _) -> true.
