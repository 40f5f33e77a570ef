%% A receive that fails for its bad timeout is over: the next one looks at the messages that it has looked at.
-module(r_bad_timeout).
-export([main/0]).

main() ->
    [io:format("~p~n", [after_timeout(Timeout)]) || Timeout <- [bad, -1, 1 bsl 70, 1.0]],
    io:format("~p~n", [with_reference(bad)]).

after_timeout(Timeout) ->
    self() ! first,
    Failed = try receive never -> ok after Timeout -> ok end catch error:E -> E end,
    {Failed, receive first -> first after 100 -> lost end}.

with_reference(Timeout) ->
    self() ! first,
    Failed = try receive never -> ok after Timeout -> ok end catch error:E -> E end,
    Reference = make_ref(),
    self() ! Reference,
    {Failed, receive first -> first after 100 -> lost end, receive Reference -> came after 100 -> lost end}.
