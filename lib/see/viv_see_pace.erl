%% Work of the node's for who looks at it: it rests four times as long as it has worked, so that it takes a fifth of one
%% scheduler at most, however much there is to be looked at.
-module(viv_see_pace).
-export([fold/3, begin_work/0, rest/1, better/3]).
-export_type([debt/0]).

-define(PIECE, 200). % looked at between two looks at the clock
-define(REST, 4). % times what it took
-define(LEAST, 5000). % microseconds that it rests

%% Begin: in microseconds, of what it works at now; Owed: what it has not rested yet.
-opaque debt() :: {Begin :: integer(), Owed :: integer()}.

%% Fun(Id, Milliseconds, Acc) for each; the time is that of its piece.
-spec fold(fun((Id, integer(), Acc) -> Acc), Acc, [Id]) -> Acc.
fold(Fun, Acc, Ids) -> fold(Fun, Acc, Ids, begin_work()).

fold(_, Acc, [], _) -> Acc;
fold(Fun, Acc, Ids, Debt) ->
    {Others, Next} = piece(Fun, Acc, Ids, ?PIECE, erlang:monotonic_time(millisecond)),
    fold(Fun, Next, Others, rest(Debt)).

piece(_, Acc, Ids, Left, _) when Left =:= 0; Ids =:= [] -> {Ids, Acc};
piece(Fun, Acc, [Id | Ids], Left, Now) -> piece(Fun, Fun(Id, Now, Acc), Ids, Left - 1, Now).

-spec begin_work() -> debt().
begin_work() -> {now_us(), 0}.

%% After some work.
-spec rest(debt()) -> debt().
rest({Begin, Owed}) ->
    case Owed + (now_us() - Begin) * ?REST of
        More when More < ?LEAST -> {now_us(), More};
        More -> receive after min(1000, More div 1000) -> begin_work() end
    end.

now_us() -> erlang:monotonic_time(microsecond).

%% One among the greatest, of which so many are kept.
-spec better(term(), pos_integer(), gb_sets:set()) -> gb_sets:set().
better(One, Rows, Best) ->
    case gb_sets:size(Best) < Rows of
        true -> gb_sets:add(One, Best);
        false ->
            case gb_sets:take_smallest(Best) of
                {Least, Others} when Least < One -> gb_sets:add(One, Others);
                _ -> Best
            end
    end.
