%% A small live service: workers serve requests, a keeper starts another one for each that fails, as a supervisor does.
%% A request asks shop_price for a price, which asks shop_tax, and stores it (shop_store). Each worker numbers its
%% requests from 1; now and then one is for a thing that is sold out, and costs the worker its life.
-module(shop).
-export([start/1, workers/1, stop/1, served/1]).
-export([keeper/2, worker/2]).

-define(BATCH, 10). % requests between two pauses of a worker

start(Count) ->
    Served = counters:new(1, []),
    Keeper = spawn(?MODULE, keeper, [Count, Served]),
    {Keeper, Served}.

workers({Keeper, _}) -> ask(Keeper, workers).

served({_, Served}) -> counters:get(Served, 1).

%% Every worker and its last request: those that were there, and those that had gone before.
stop({Keeper, _}) -> ask(Keeper, stop).

ask(Keeper, What) ->
    Monitor = erlang:monitor(process, Keeper),
    Keeper ! {What, self(), Monitor},
    receive
        {Monitor, Answer} ->
            erlang:demonitor(Monitor, [flush]),
            Answer;
        {'DOWN', Monitor, process, Keeper, Reason} -> exit(Reason)
    end.

keeper(Count, Served) ->
    process_flag(trap_exit, true),
    shop_store:create(),
    keep([worker_start(Served) || _ <- lists:seq(1, Count)], [], Served).

worker_start(Served) -> spawn_link(?MODULE, worker, [1, Served]).

keep(Workers, Gone, Served) ->
    receive
        {'EXIT', Pid, Reason} ->
            keep([worker_start(Served) | lists:delete(Pid, Workers)], [{Pid, last_request(Reason)} | Gone], Served);
        {workers, From, Tag} ->
            From ! {Tag, Workers},
            keep(Workers, Gone, Served);
        {stop, From, Tag} ->
            [Pid ! stop || Pid <- Workers],
            Last = [receive {'EXIT', Pid, Reason} -> {Pid, last_request(Reason)} end || Pid <- Workers],
            From ! {Tag, {Last, Gone}}
    end.

last_request({done, Id}) -> Id;
last_request({sold_out, Id}) -> Id;
last_request(Other) -> {lost, Other}.

worker(Id, Served) when Id rem ?BATCH =:= 0 ->
    receive
        stop -> exit({done, Id - 1})
    after 1 ->
        serve(Id, Served)
    end;
worker(Id, Served) -> serve(Id, Served).

serve(Id, Served) ->
    Item = Id * 7919 rem 1000,
    Price = shop_price:quote(Id, Item),
    shop_store:put(Item, Price),
    counters:add(Served, 1, 1),
    worker(Id + 1, Served).
