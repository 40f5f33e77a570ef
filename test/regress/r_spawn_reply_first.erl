%% The reply to a spawn_request comes before anything that the child does, wherever it runs.
-module(r_spawn_reply_first).
-export([main/0, child/1]).

main() ->
    process_flag(trap_exit, true),
    process_flag(message_queue_data, off_heap),
    io:format("~p~n", [lists:usort([first(Options) || _ <- lists:seq(1, 20000),
                                                      Options <- [[link], [monitor], [{priority, max}]]])]).

first(Options) ->
    Ref = spawn_request(?MODULE, child, [self()], Options),
    {messages, _} = process_info(self(), messages),
    First = receive X -> X end,
    drain(case Options of [{priority, max}] -> 1; _ -> 2 end),
    case First of
        {spawn_reply, Ref, ok, _} -> reply;
        _ -> element(1, First)
    end.

child(Parent) -> Parent ! hello.

drain(0) -> ok;
drain(N) -> receive _ -> drain(N - 1) end.
