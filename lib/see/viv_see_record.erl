%% viv record, in the node: the flight recorder is switched, or what it holds is told.
%%
%%   {text, Bytes}               parts of what src/process/recorder_text.h says
%%   {'end', Why, #{}}           done | off: nothing is recorded | stopped
-module(viv_see_record).
-export([run/2]).

-define(PIECE, 262144).

run(#{switch := {Events, Records}}, Link) ->
    ok = viv_recorder:choose(Events, Records),
    tell_end(Link, done);
run(#{last := Last}, Link) ->
    case viv_recorder:head() of
        undefined -> tell_end(Link, off);
        Head ->
            tell(Link, Head),
            tell_rings(Link, 0, Last)
    end.

tell_rings(Link, Index, Last) ->
    case viv_recorder:ring(Index, Last) of
        undefined -> tell_end(Link, done);
        Text ->
            tell(Link, Text),
            tell_rings(Link, Index + 1, Last)
    end.

tell(Link, <<Piece:?PIECE/binary, Rest/binary>>) when Rest =/= <<>> ->
    tell_piece(Link, Piece),
    tell(Link, Rest);
tell(Link, Text) -> tell_piece(Link, Text).

tell_piece(Link, Piece) ->
    receive stop -> exit(shutdown) after 0 -> ok end,
    case viv_see_link:tell(Link, {text, Piece}) of
        ok -> ok;
        closed -> exit(shutdown)
    end.

tell_end(Link, Why) -> _ = viv_see_link:tell(Link, {'end', Why, #{}}).
