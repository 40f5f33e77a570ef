%% Rows of bench/cluster: one node asks, the other, `Other`, answers. Each row is a line: name, microseconds each.
-module(pair).
-export([answer/0, ask/1]).

%% --- the other node ------------------------------------------------------------------------------------------------

answer() ->
    register(answers, spawn(fun answer_loop/0)),
    register(sinks, spawn(fun sink_loop/0)).

answer_loop() ->
    receive {From, Ref, Term} -> From ! {Ref, Term} end,
    answer_loop().

sink_loop() ->
    receive
        {last, From} -> From ! last;
        _ -> ok
    end,
    sink_loop().

%% --- this one ------------------------------------------------------------------------------------------------------

ask([Name]) ->
    Other = list_to_atom(Name),
    pong = net_adm:ping(Other),
    [begin
         Row(Other, Count div 10),
         show(What, Count, Row, Other)
     end || {What, Count, Row} <- rows()],
    erlang:halt(0).

show(What, Count, Row, Other) ->
    Begun = erlang:monotonic_time(),
    Answer = Row(Other, Count),
    Took = erlang:convert_time_unit(erlang:monotonic_time() - Begun, native, nanosecond) / 1000,
    Each = case Answer of {microseconds, M} -> M; _ -> Took / Count end,
    io:format("~s\t~.3f~n", [What, Each]).

rows() ->
    Map = #{name => <<"someone">>, tags => [one, two, three], at => {2, 3}, list => lists:seq(1, 50)},
    Mega = binary:copy(<<1>>, 1 bsl 20),
    List = lists:seq(1, 100000),
    [{"round trip of an atom", 20000, fun(O, N) -> trips(O, N, hello) end},
     {"round trip of a map of 5 keys", 10000, fun(O, N) -> trips(O, N, Map) end},
     {"round trip of a binary of 1 MB", 200, fun(O, N) -> trips(O, N, Mega) end},
     {"round trip of 100,000 integers", 200, fun(O, N) -> trips(O, N, List) end},
     {"messages of one process, an atom each", 300000, fun(O, N) -> stream(O, N, hello) end},
     {"messages of one process, a map each", 100000, fun(O, N) -> stream(O, N, Map) end},
     {"messages of 20 processes, an atom each", 300000, fun(O, N) -> many(O, N, hello) end},
     {"binaries of 64 KB", 10000, fun(O, N) -> stream(O, N, binary:copy(<<1>>, 65536)) end},
     {"erpc:call", 5000, fun erpcs/2},
     {"processes spawned and monitored", 5000, fun spawns/2},
     {"links made and broken", 20000, fun links/2},
     {"connections made and closed", 50, fun connects/2},
     {"round trip of an atom beside 1 GB of binaries", 1, fun beside/2}].

trips(_, 0, _) -> ok;
trips(Other, Count, Term) ->
    Ref = make_ref(),
    {answers, Other} ! {self(), Ref, Term},
    receive {Ref, _} -> trips(Other, Count - 1, Term) end.

stream(Other, Count, Term) ->
    send(Other, Count, Term),
    {sinks, Other} ! {last, self()},
    receive last -> ok end.

send(_, 0, _) -> ok;
send(Other, Count, Term) ->
    {sinks, Other} ! Term,
    send(Other, Count - 1, Term).

many(Other, Count, Term) ->
    together([fun() -> stream(Other, Count div 20, Term) end || _ <- lists:seq(1, 20)]).

together(Funs) ->
    Monitors = [element(2, spawn_monitor(Fun)) || Fun <- Funs],
    [receive {'DOWN', Monitor, process, _, normal} -> ok end || Monitor <- Monitors].

erpcs(Other, Count) -> [erpc:call(Other, erlang, self, []) || _ <- lists:seq(1, Count)].

spawns(Other, Count) ->
    [begin
         {_, Monitor} = spawn_monitor(Other, erlang, self, []),
         receive {'DOWN', Monitor, process, _, normal} -> ok end
     end || _ <- lists:seq(1, Count)].

%% All to one process, which then ends.
links(Other, Count) ->
    Pid = spawn(Other, timer, sleep, [infinity]),
    Self = self(),
    Linked = [spawn(fun() ->
                        process_flag(trap_exit, true),
                        link(Pid),
                        Self ! linked,
                        receive {'EXIT', Pid, _} -> Self ! broken end
                    end) || _ <- lists:seq(1, Count)],
    [receive linked -> ok end || _ <- Linked],
    exit(Pid, kill),
    [receive broken -> ok end || _ <- Linked].

%% The median: one that both nodes begin at once may fail, on the stock runtime too, and then takes seconds.
connects(Other, Count) -> {microseconds, median([connects_anew(Other) || _ <- lists:seq(1, max(1, Count))])}.

connects_anew(Other) ->
    Begun = erlang:monotonic_time(nanosecond),
    erlang:monitor_node(Other, true),
    erlang:disconnect_node(Other),
    receive {nodedown, Other} -> ok end,
    connect(Other),
    (erlang:monotonic_time(nanosecond) - Begun) / 1000.

connect(Other) -> net_kernel:connect_node(Other) =:= true orelse connect(Other).

median(Values) -> lists:nth((length(Values) + 1) div 2, lists:sort(Values)).

%% The mean of those that are answered while the binaries are on their way.
beside(_, 0) -> ok;
beside(Other, 1) ->
    Self = self(),
    Big = binary:copy(<<7>>, 256 bsl 20),
    Sender = spawn(fun() ->
                       stream(Other, 4, Big),
                       Self ! sent
                   end),
    {Count, Took} = beside_until(Other, Sender, 0, 0),
    {microseconds, Took / max(1, Count) / 1000}.

beside_until(Other, Sender, Count, Took) ->
    receive
        sent -> {Count, Took}
    after 0 ->
        Begun = erlang:monotonic_time(nanosecond),
        trips(Other, 1, hello),
        beside_until(Other, Sender, Count + 1, Took + erlang:monotonic_time(nanosecond) - Begun)
    end.
