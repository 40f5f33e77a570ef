%% Which send belongs to which receive, among the events of viv trace.
%%
%% Nothing in a message says it, so it is told only where nothing else can be, of all that was told: messages of one
%% sender that are alike, whole, all sent to the same receiver, as many received as were sent, by one process, each
%% after it was sent. As messages from one to the other keep their order, the first received is then the first sent.
%% Where sends or receives were dropped there are none. (Two mistakes at once would look alike: as many that were under
%% way when the trace began as there were at its end, with the same content from and to the same.)
-module(viv_see_messages).
-export([new/0, add/3, dropped/2, pairs/1]).
-export_type([messages/0]).

-record(messages, {sent = #{}, received = #{}, lost = false}).
-opaque messages() :: #messages{}.

-spec new() -> messages().
new() -> #messages{}.

%% Id: what pairs/1 calls the event. Events that are no messages, or cannot be told from others, are passed over.
-spec add(Id, viv_see_event:event(), messages()) -> messages() when Id :: term().
add(Id, #{kind := send, parts := [Message, To], who := From, time := Time, order := Order},
    M = #messages{sent = Sent}) ->
    M#messages{sent = put_in({From, Message}, {{Time, Order}, To, Id}, Message, Sent)};
add(Id, #{kind := 'receive', parts := [Message], sender := From, who := To, time := Time, order := Order},
    M = #messages{received = Received}) when is_pid(From) ->
    M#messages{received = put_in({From, Message}, {{Time, Order}, To, Id}, Message, Received)};
add(_, _, M) -> M.

put_in(Key, Told, Message, Map) ->
    case is_whole(Message) of
        true -> Map#{Key => [Told | maps:get(Key, Map, [])]};
        false -> Map
    end.

%% What was cut has the atom '...' in the place of the rest.
is_whole('...') -> false;
is_whole([Head | Tail]) -> is_whole(Head) andalso is_whole(Tail);
is_whole(Tuple) when is_tuple(Tuple) -> lists:all(fun is_whole/1, tuple_to_list(Tuple));
is_whole(Map) when is_map(Map) -> is_whole(maps:to_list(Map));
is_whole(_) -> true.

-spec dropped([{binary() | atom(), pos_integer()}], messages()) -> messages().
dropped(Of, M = #messages{lost = Lost}) ->
    M#messages{lost = Lost orelse lists:keymember(send, 1, Of) orelse lists:keymember('receive', 1, Of)}.

%% [{Id of a send, Id of its receive}]
-spec pairs(messages()) -> [{term(), term()}].
pairs(#messages{lost = true}) -> [];
pairs(#messages{sent = Sent, received = Received}) ->
    lists:append([matched(Sends, maps:get(Key, Received, [])) || {Key, Sends} <- maps:to_list(Sent)]).

matched(_, []) -> [];
matched(Sends, Receives) ->
    Received = by_receiver(Receives),
    case {maps:to_list(by_receiver(Sends)), maps:keys(Received)} of
        {[{To, _}], [By]} when not is_pid(To); To =:= By -> in_order(Sends, Receives);
        {[_], _} -> [];
        {Sent, _} -> % apart for each, unless one may be another's name
            lists:append([in_order(Some, maps:get(To, Received, []))
                          || lists:all(fun({To, _}) -> is_pid(To) end, Sent), {To, Some} <- Sent])
    end.

by_receiver(Events) ->
    lists:foldl(fun({_, Receiver, _} = Event, Map) -> Map#{Receiver => [Event | maps:get(Receiver, Map, [])]} end,
                #{}, Events).

in_order(Sends, Receives) when length(Sends) =:= length(Receives) ->
    Pairs = lists:zip(lists:sort(Sends), lists:sort(Receives)),
    case lists:all(fun({{Sent, _, _}, {Received, _, _}}) -> Sent < Received end, Pairs) of
        true -> [{Send, Receive} || {{_, _, Send}, {_, _, Receive}} <- Pairs];
        false -> []
    end;
in_order(_, _) -> [].
