%% The numbers of receive markers begin again: receives for fresh references still find their answers, also those that
%% had their marker before, and a reply that came before it was asked for. Signals may be said to be buffered.
-module(r_marker_numbers).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    self() ! first,
    [io:format("~p~n", [calls(From)]) || From <- [(1 bsl 59) - 6, (1 bsl 61) - 501, -20, -1, 0, (1 bsl 63) - 9]],
    io:format("~p~n", [receive first -> first end]),
    io:format("~p~n", [[try set(process_uniq_counter, Bad) catch error:R -> R end || Bad <- [x, 1 bsl 63, 1 bsl 70, 1.0]]]),
    process_flag(message_queue_data, off_heap),
    io:format("~p~n", [[set(proc_sig_buffers, To) || To <- [true, false, x]]]).

set(Item, To) -> erts_debug:set_internal_state(Item, To).

calls(From) ->
    Server = spawn_link(fun serve/0),
    ok = set(process_uniq_counter, From),
    [self() ! {noise, N} || N <- lists:seq(1, 20)],
    Answers = [across(Server, N) || N <- lists:seq(1, 40)],
    [receive {noise, N} -> ok end || N <- lists:seq(1, 20)],
    lists:usort(Answers).

%% The marker of the outer call is out while the inner ones take theirs.
across(Server, N) ->
    Reference = monitor(process, Server),
    Server ! {self(), Reference, N},
    [inner(Server, I) || I <- lists:seq(1, N rem 12)],
    receive
        {Reference, N} -> erlang:demonitor(Reference, [flush]), found;
        {'DOWN', Reference, _, _, _} -> down
    after 60000 -> lost
    end.

inner(Server, I) ->
    Reference = make_ref(),
    Server ! {self(), Reference, I},
    receive {Reference, I} -> ok end.

serve() ->
    receive {From, Reference, N} -> From ! {Reference, N}, serve() end.
