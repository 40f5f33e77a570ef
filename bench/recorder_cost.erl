%% What the flight recorder costs: `viv run bench/recorder_cost.erl`. Processor time for each request of four clients
%% to two servers, with the recorder off, with its usual events, and with all, in turns: the lower quartile of forty,
%% and the least, which a busy machine disturbs less.
%% A `quote` looks a price up and makes a text of it; a `ping` does nothing: it shows the cost of two messages and two
%% slices.
-module(recorder_cost).
-behaviour(gen_server).
-export([main/0, client/3, init/1, handle_call/3, handle_cast/2]).

-define(REQUESTS, 10000).
-define(ROUNDS, 40).
-define(RECORDS, 65536).

main() ->
    Prices = ets:new(prices, [public, {read_concurrency, true}]),
    true = ets:insert(Prices, [{Item, Item * 3} || Item <- lists:seq(1, 100)]),
    Servers = [Pid || _ <- [1, 2], {ok, Pid} <- [gen_server:start(?MODULE, Prices, [])]],
    [measure(Servers, Kind) || Kind <- [quote, ping]],
    ok.

measure(Servers, Kind) ->
    work(Servers, Kind),
    Sets = [{off, <<>>}, {usual, <<"sched,procs,gc">>}, {all, <<"sched,procs,gc,send,receive">>}],
    Times = [{Name, time(Servers, Kind, Set)} || _ <- lists:seq(1, ?ROUNDS), {Name, Set} <- Sets],
    ok = viv_recorder:choose(<<>>, ?RECORDS),
    Figures = [{Name, lists:sort([Time || {Of, Time} <- Times, Of =:= Name])} || {Name, _} <- Sets],
    {off, Off} = hd(Figures),
    [io:format("~-6w ~-6w ~8.1f ns a request, ~5.2f %; at least ~8.1f ns, ~5.2f %~n",
               [Kind, Name, quartile(Of), more(quartile(Of), quartile(Off)), hd(Of), more(hd(Of), hd(Off))])
     || {Name, Of} <- Figures].

quartile(Sorted) -> lists:nth(?ROUNDS div 4, Sorted).
more(Time, Off) -> (Time / Off - 1) * 100.

time(Servers, Kind, Events) ->
    ok = viv_recorder:choose(Events, ?RECORDS),
    Before = used(),
    work(Servers, Kind),
    (used() - Before) / (4 * ?REQUESTS).

%% Nanoseconds of processor time, of all threads.
used() ->
    {ok, Threads} = file:list_dir("/proc/self/task"),
    lists:sum([used_by(Thread) || Thread <- Threads]).

used_by(Thread) ->
    case prim_file:read_file(["/proc/self/task/", Thread, "/schedstat"]) of
        {ok, Text} -> binary_to_integer(hd(binary:split(Text, <<" ">>)));
        {error, _} -> 0
    end.

work(Servers, Kind) ->
    Clients = [spawn_monitor(?MODULE, client, [lists:nth(I rem 2 + 1, Servers), Kind, ?REQUESTS])
               || I <- lists:seq(1, 4)],
    [receive {'DOWN', Ref, _, _, normal} -> ok end || {_, Ref} <- Clients].

client(_, _, 0) -> ok;
client(Server, quote, N) ->
    {ok, _, _} = gen_server:call(Server, {quote, N rem 100 + 1, N}),
    client(Server, quote, N - 1);
client(Server, ping, N) ->
    pong = gen_server:call(Server, ping),
    client(Server, ping, N - 1).

init(Prices) -> {ok, Prices}.

handle_call({quote, Item, N}, _, Prices) ->
    [{_, Price}] = ets:lookup(Prices, Item),
    Text = iolist_to_binary(io_lib:format("~w ~p ~p", [Item, N, Price * N])),
    {reply, {ok, Text, lists:sum(lists:seq(1, 50))}, Prices};
handle_call(ping, _, Prices) -> {reply, pong, Prices}.

handle_cast(_, Prices) -> {noreply, Prices}.
