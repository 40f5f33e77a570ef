%% A live service (demo/shop.erl), and a map of its memory that is switched on, read and written as a page while it
%% works: what that costs it, and who holds what.
%%
%%   live_memory PAGE SECONDS
-module(live_memory).
-export([main/1]).

-define(WORKERS, 50).

main([Page, Seconds]) ->
    Shop = shop:start(?WORKERS),
    Milliseconds = 1000 * list_to_integer(Seconds),
    show("the map is off", phase(Shop, fun() -> timer:sleep(Milliseconds) end)),
    true = instrument:start(#{sites => true}),
    Before = viv_memory:snapshot(),
    show("each block is told", phase(Shop, fun() -> timer:sleep(Milliseconds) end)),
    show("the page is written", phase(Shop, fun() -> ok = instrument:report(Page, #{since => Before}) end)),
    top("holds most", viv_memory:top(name, 4)),
    top("was asked for most by", viv_memory:top(function, 4)),
    true = instrument:stop(),
    {_, _} = shop:stop(Shop),
    ok.

%% {Requests a second, largest gap of a process that does nothing but look at the clock, milliseconds}
phase(Shop, Fun) ->
    Watcher = spawn_opt(fun() -> watch(erlang:monotonic_time(), 0) end, [{priority, normal}]),
    {Served, Started} = {shop:served(Shop), erlang:monotonic_time()},
    Fun(),
    Taken = erlang:convert_time_unit(erlang:monotonic_time() - Started, native, millisecond),
    Requests = shop:served(Shop) - Served,
    Watcher ! {stop, self()},
    Gap = receive {gap, Native} -> erlang:convert_time_unit(Native, native, microsecond) end,
    {Requests * 1000 div max(Taken, 1), Gap, Taken}.

watch(Last, Largest) ->
    receive
        {stop, From} -> From ! {gap, Largest}
    after 0 ->
        Now = erlang:monotonic_time(),
        watch(Now, max(Largest, Now - Last))
    end.

show(What, {Requests, Gap, Milliseconds}) ->
    io:format("  ~-20s ~8b requests/s, largest gap of a busy process ~6b us, ~6b ms~n",
              [What, Requests, Gap, Milliseconds]).

top(What, {Kind, Tops}) ->
    io:format("  ~s (~s)~n", [What, Kind]),
    [io:format("    ~-44s ~8b KB in ~8b blocks~n", [io_lib:format("~w", [Who]), Bytes div 1024, Blocks])
     || {Who, Bytes, Blocks} <- Tops].
