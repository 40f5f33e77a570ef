%% Messages that a process has not looked at refer to literals that are about to go when it does: it is kept from
%% running until then, by one that is more urgent on the same scheduler.
-module(r_off_heap_literals).
-export([main/0]).

-define(TERMS, 30).

main() ->
    process_flag(scheduler, 1),
    process_flag(priority, max),
    io:format("~p~n", [[received(Kind) || Kind <- [on_heap, off_heap]]]).

received(Kind) ->
    Self = self(),
    Place = {scheduler, erlang:system_info(schedulers)},
    Receiver = fun() -> Self ! ready, receive go -> Self ! {got, [taken(N) || N <- lists:seq(1, ?TERMS)]} end end,
    {Pid, Ref} = spawn_opt(Receiver, [monitor, Place, {priority, low}, {message_queue_data, Kind}]),
    receive ready -> ok end,
    [persistent_term:put({?MODULE, N}, lists:seq(1, N)) || N <- lists:seq(1, ?TERMS)],
    Numbers = lists:seq(1, ?TERMS), % nothing has to be loaded while the scheduler is busy
    {Busy, BusyRef} = spawn_opt(fun() -> Self ! busy, spin() end, [monitor, Place, {priority, high}]),
    receive busy -> ok end,
    [Pid ! {N, persistent_term:get({?MODULE, N})} || N <- Numbers],
    [persistent_term:erase({?MODULE, N}) || N <- Numbers],
    Pid ! go,
    receive after 100 -> ok end, % whoever asks after the literals has come to it, or has not
    exit(Busy, kill),
    receive {'DOWN', BusyRef, process, Busy, killed} -> ok end,
    receive {got, Got} -> ok end,
    receive {'DOWN', Ref, process, Pid, normal} -> ok end,
    Got =:= [lists:seq(1, N) || N <- Numbers].

taken(N) -> receive {N, Term} -> Term end.

spin() -> spin().
