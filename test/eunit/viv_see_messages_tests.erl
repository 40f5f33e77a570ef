%% Which send belongs to which receive.
-module(viv_see_messages_tests).
-include_lib("eunit/include/eunit.hrl").

-define(A, list_to_pid("<0.2001.0>")).
-define(B, list_to_pid("<0.2002.0>")).
-define(C, list_to_pid("<0.2003.0>")).

send(Time, From, To, Message) -> #{kind => send, parts => [Message, To], who => From, time => Time, order => 0}.
recv(Time, From, To, Message) ->
    #{kind => 'receive', parts => [Message], sender => From, who => To, time => Time, order => 0}.

%% Events are called by their times.
pairs(Events) ->
    Add = fun(#{time := Time} = Event, Messages) -> viv_see_messages:add(Time, Event, Messages) end,
    lists:sort(viv_see_messages:pairs(lists:foldl(Add, viv_see_messages:new(), Events))).

one_receiver_test_() ->
    [?_assertEqual([{1, 2}], pairs([send(1, ?A, ?B, m), recv(2, ?A, ?B, m)])),
     ?_assertEqual([{1, 3}, {2, 4}], pairs([send(1, ?A, ?B, m), send(2, ?A, ?B, m), recv(3, ?A, ?B, m),
                                            recv(4, ?A, ?B, m)])),
     ?_assertEqual([{1, 2}], pairs([send(1, ?A, name, m), recv(2, ?A, ?B, m)])),
     ?_assertEqual([], pairs([send(2, ?A, ?B, m), recv(1, ?A, ?B, m)])),
     ?_assertEqual([], pairs([send(1, ?A, ?B, m), recv(2, ?C, ?B, m)])),
     ?_assertEqual([], pairs([send(1, ?A, ?B, m), recv(2, ?A, ?C, m)])),
     ?_assertEqual([], pairs([send(1, ?A, ?B, m)])),
     ?_assertEqual([], pairs([send(1, ?A, ?B, m), send(2, ?A, ?B, m), recv(3, ?A, ?B, m)])),
     ?_assertEqual([], pairs([send(1, ?A, name, m), recv(2, ?A, ?B, m), recv(3, ?A, ?C, m)])),
     ?_assertEqual([], pairs([send(1, ?A, ?B, [m | '...']), recv(2, ?A, ?B, [m | '...'])]))].

several_receivers_test_() ->
    [?_assertEqual([{1, 4}, {2, 3}], pairs([send(1, ?A, ?B, m), send(2, ?A, ?C, m), recv(3, ?A, ?C, m),
                                            recv(4, ?A, ?B, m)])),
     ?_assertEqual([{2, 3}], pairs([send(1, ?A, ?B, m), send(2, ?A, ?C, m), recv(3, ?A, ?C, m)])),
     ?_assertEqual([{1, 5}, {3, 6}], pairs([send(1, ?A, ?B, m), send(2, ?A, ?C, m), send(3, ?A, ?B, m),
                                            recv(5, ?A, ?B, m), recv(6, ?A, ?B, m)])),
     ?_assertEqual([], pairs([send(1, ?A, ?B, m), send(2, ?A, name, m), recv(3, ?A, ?B, m), recv(4, ?A, ?B, m)]))].

lost_test() ->
    Messages = viv_see_messages:add(2, recv(2, ?A, ?B, m), viv_see_messages:add(1, send(1, ?A, ?B, m),
                                                                                viv_see_messages:new())),
    ?assertEqual([{1, 2}], viv_see_messages:pairs(Messages)),
    ?assertEqual([{1, 2}], viv_see_messages:pairs(viv_see_messages:dropped([{call, 1}], Messages))),
    ?assertEqual([], viv_see_messages:pairs(viv_see_messages:dropped([{send, 1}], Messages))).

%% One sender tells many the same: four times as many take no sixteen times as long.
many_receivers_test() ->
    [Few, Many] = [work(Count) || Count <- [500, 2000]],
    ?assert(Many < 8 * Few).

work(Count) ->
    Pids = [list_to_pid(lists:concat(["<0.", 3000 + N, ".0>"])) || N <- lists:seq(1, Count)],
    Events = [send(N, ?A, To, m) || {N, To} <- lists:zip(lists:seq(1, Count), Pids)] ++
        [recv(Count + N, ?A, By, m) || {N, By} <- lists:zip(lists:seq(1, Count), Pids)],
    Self = self(),
    spawn_link(fun() ->
                       {reductions, Before} = process_info(self(), reductions),
                       ?assertEqual(Count, length(pairs(Events))),
                       {reductions, After} = process_info(self(), reductions),
                       Self ! {work, After - Before}
               end),
    receive {work, Work} -> Work end.
