%% What it costs to be seen: `viv run bench/seeing_cost.erl [ROUNDS]`. Processor time of all threads for the same work,
%% requests of four clients to two servers, with the flight recorder and with `viv sample`, against without either. Each
%% round does all, in any order; the ratio is to that round's own `off`, and the median of the rounds counts. `nothing`
%% is `off` once more: what the machine differs by itself. Beside other work a second of processor time is longer than
%% one of the clock, by which ticks come.
%% A `quote` looks a price up and makes a text of it; a `ping` does nothing: it shows the cost of two messages and two
%% slices.
-module(seeing_cost).
-behaviour(gen_server).
-export([main/1, client/3, init/1, handle_call/3, handle_cast/2]).

-define(REQUESTS, 40000). % of each client
-define(RECORDS, 65536).
-define(EVERY, 500). % milliseconds between two looks at what was sampled, as viv sample has them

main([]) -> main(["20"]);
main([Rounds]) ->
    Prices = ets:new(prices, [public, {read_concurrency, true}]),
    true = ets:insert(Prices, [{Item, Item * 3} || Item <- lists:seq(1, 100)]),
    Servers = [Pid || _ <- [1, 2], {ok, Pid} <- [gen_server:start(?MODULE, Prices, [])]],
    [measure(Servers, Kind, list_to_integer(Rounds)) || Kind <- [quote, ping]],
    ok.

sets() ->
    [off, nothing, {recorder, <<"sched,procs,gc">>}, {recorder, <<"sched,procs,gc,send,receive">>}, {sampler, 99},
     {sampler, 1000}].

measure(Servers, Kind, Rounds) ->
    work(Servers, Kind),
    All = [maps:from_list([{Set, time(Servers, Kind, Set)} || Set <- shuffled(sets())])
           || _ <- lists:seq(1, Rounds)],
    [begin
         Ratios = lists:sort([(maps:get(Set, Times) / maps:get(off, Times) - 1) * 100 || Times <- All]),
         io:format("~w ~-24ts ~8.1f ns a request, ~6.2f % more (half of the rounds ~.2f to ~.2f)~n",
                   [Kind, name(Set), part(0.5, lists:sort([maps:get(Set, Times) || Times <- All])), part(0.5, Ratios),
                    part(0.25, Ratios), part(0.75, Ratios)])
     end || Set <- sets()].

name({recorder, <<"sched,procs,gc">>}) -> "recorder";
name({recorder, _}) -> "recorder, messages too";
name({sampler, Rate}) -> io_lib:format("sampled at ~w Hz", [Rate]);
name(Set) -> atom_to_list(Set).

part(Part, Sorted) -> lists:nth(max(1, round(Part * length(Sorted))), Sorted).
shuffled(List) -> [X || {_, X} <- lists:sort([{rand:uniform(), X} || X <- List])].

time(Servers, Kind, {recorder, Events}) ->
    ok = viv_recorder:choose(Events, ?RECORDS),
    Time = time(Servers, Kind, off),
    ok = viv_recorder:choose(<<>>, ?RECORDS),
    Time;
time(Servers, Kind, {sampler, Rate}) ->
    Reader = spawn_link(fun() -> {ok, Sampler} = viv_see:sampler(Rate), reads(Sampler, #{}) end),
    Time = time(Servers, Kind, off),
    Reader ! {stop, self()},
    receive {Reader, Count} when Count > 0 -> Time end;
time(Servers, Kind, _) ->
    Before = used(),
    work(Servers, Kind),
    (used() - Before) / (4 * ?REQUESTS).

reads(Sampler, Sums) ->
    To = receive {stop, From} -> From after ?EVERY -> none end,
    {_, Samples} = viv_see:samples(Sampler),
    More = lists:foldl(fun({Weight, Stack}, Now) -> Now#{Stack => maps:get(Stack, Now, 0) + Weight} end, Sums, Samples),
    case To of
        none -> reads(Sampler, More);
        _ ->
            ok = viv_see:end_sampler(Sampler),
            unlink(To),
            To ! {self(), lists:sum(maps:values(More))}
    end.

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
