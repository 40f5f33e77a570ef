%% A database of four nodes under load (bank.erl), while its nodes are killed, cut off and healed, and moved from one
%% runtime to the other. In the end every transfer that a client was told of is there exactly once, in every copy.
%%
%%   main VIV STOCK-25 STOCK-27 ROOT-27 FOLDER
%%
%% Clients are processes of this node, which is hidden: it is no member. A client numbers a transfer, asks any member,
%% and tells the teller what it heard: done, refused, or neither, as when the node went away in the middle of it.
%%
%% As brokers and databases do, the members forbid `global` to cut connections that have not failed: on any runtime it
%% may part all members when one is cut off from each of the others in turn.
-module(cluster_moves).
-export([main/1]).

-define(CLIENTS, 12).
-define(ACCOUNTS, 200).
-define(SPELL, 2500).        % milliseconds of load after each event
-define(ALL_AGREE, 15000).   % milliseconds that the members have in the end to agree on names

main([Viv, Stock25, Stock27, Root27, Folder]) ->
    {ok, _} = net_kernel:start(cluster_moves, #{name_domain => shortnames, hidden => true}),
    erlang:set_cookie(bank),
    Runtimes = #{viv25 => {"viv, OTP 25", {Viv, ["erl"]}, []}, stock25 => {"stock 25", Stock25, []},
                 viv27 => {"viv, OTP 27", {Viv, ["erl"]}, [{"VIV_OTP_ROOT", Root27}]},
                 stock27 => {"stock 27", Stock27, []}},
    Bank = founded(#{folder => Folder, runtimes => Runtimes, members => #{}, began => now_ms()}),
    Teller = open(Bank),
    Moved = lists:foldl(fun(Event, Sofar) -> spell(event(Event, Sofar), Teller) end, spell(Bank, Teller), events()),
    Told = close(Teller),
    Wrong = agreed(Moved) ++ audit(Told, Moved),
    io:put_chars(summary(Told, Wrong)),
    [peer:stop(Peer) || #{peer := Peer} <- maps:values(maps:get(members, Moved))],
    halt(min(1, length(Wrong))).

first() -> [{a, viv25}, {b, viv25}, {c, stock25}, {d, stock27}].

events() ->
    [{move, a, stock25}, {cut, c}, {move, c, viv25}, {cut, b}, {move, d, viv27}, {move, b, stock27}, {cut, c}].

%% --- Members ---

founded(State) ->
    Started = lists:foldl(fun({Name, Runtime}, Sofar) -> started(Name, Runtime, Sofar) end, State, first()),
    [call(Name, join, [others(Name, Started)], Started) || {Name, _} <- first()],
    call(a, found, [nodes_of(Started), ?ACCOUNTS], Started),
    say(Started, "one database on ~ts", [lists:join("; ", [member_text(Name, Started) || {Name, _} <- first()])]),
    Started.

started(Name, Runtime, #{folder := Folder, members := Members, runtimes := Runtimes} = State) ->
    {Label, Program, Environment} = maps:get(Runtime, Runtimes),
    Dir = lists:flatten(io_lib:format("~tp", [filename:join(Folder, Name)])),
    Arguments = ["-setcookie", "bank", "-start_epmd", "false", "-pa", filename:dirname(Folder), "-mnesia", "dir", Dir,
                 "-kernel", "logger_level", "critical", "-kernel", "prevent_overlapping_partitions", "false"],
    {ok, Peer, Node} = peer:start(#{name => Name, connection => standard_io, exec => Program, env => Environment,
                                    args => Arguments}),
    Pid = peer:call(Peer, os, getpid, []),
    State#{members := Members#{Name => #{peer => Peer, node => Node, pid => Pid, label => Label}}}.

call(Name, Function, Arguments, #{members := Members}) ->
    #{Name := #{peer := Peer}} = Members,
    peer:call(Peer, bank, Function, Arguments, 60000).

nodes_of(#{members := Members}) -> [Node || #{node := Node} <- maps:values(Members)].

others(Name, #{members := Members}) -> [Node || #{node := Node} <- maps:values(maps:remove(Name, Members))].

member_text(Name, #{members := Members}) ->
    #{Name := #{label := Label}} = Members,
    io_lib:format("~ts (~ts)", [Name, Label]).

%% --- What happens to them ---

event({move, Name, Runtime}, #{members := Members} = State) ->
    #{Name := #{pid := Pid}} = Members,
    [] = os:cmd("kill -9 " ++ Pid),
    say(State, "~ts is killed", [member_text(Name, State)]),
    timer:sleep(?SPELL div 3),
    Started = started(Name, Runtime, State),
    ok = call(Name, join, [others(Name, Started)], Started),
    say(Started, "~ts is a member", [member_text(Name, Started)]),
    Started;
event({cut, Name}, State) ->
    ok = call(Name, cut, [others(Name, State)], State),
    say(State, "~ts is cut off from the others", [member_text(Name, State)]),
    timer:sleep(?SPELL),
    ok = call(Name, heal, [others(Name, State)], State),
    say(State, "~ts is a member again", [member_text(Name, State)]),
    State.

%% Some time of load, and how it went since the last.
spell(State, Teller) ->
    ask(Teller, {members, nodes_of(State)}),
    timer:sleep(?SPELL),
    #{rate := Rate, pause := Pause, refused := Refused, unknown := Unknown} = ask(Teller, since),
    say(State, "    ~b transfers a second, none for ~b ms at most; ~b refused, ~b unknown",
        [Rate, Pause, Refused, Unknown]),
    State.

say(#{began := Began}, Format, Values) ->
    io:format("~6.1f s  " ++ Format ++ "~n", [(now_ms() - Began) / 1000 | Values]).

now_ms() -> erlang:monotonic_time(millisecond).

%% --- Clients, and the teller, who notes what they heard ---

open(State) ->
    Parent = self(),
    Teller = spawn_link(fun() ->
        ets:new(members, [named_table, {read_concurrency, true}]),
        Told = ets:new(told, []),
        Parent ! {self(), open},
        teller(fresh(#{told => Told, last => now_ms(), clients => []}))
    end),
    receive {Teller, open} -> ok end,
    ask(Teller, {members, nodes_of(State)}),
    ask(Teller, clients),
    Teller.

close(Teller) -> ask(Teller, close).

ask(Teller, What) ->
    Teller ! {self(), What},
    receive {Teller, Answer} -> Answer end.

fresh(State) -> State#{done => 0, refused => 0, unknown => 0, pause => 0, since => now_ms()}.

teller(State) ->
    receive
        {heard, Transfer, Outcome} -> teller(noted(Transfer, Outcome, State));
        {From, What} ->
            {Answer, Next} = answer(What, State),
            From ! {self(), Answer},
            teller(Next)
    end.

answer({members, Nodes}, State) ->
    ets:insert(members, {all, list_to_tuple(Nodes)}),
    {ok, State};
answer(clients, State) ->
    Teller = self(),
    {ok, State#{clients := [spawn_monitor(fun() -> client(Teller, Index, 1) end) || Index <- lists:seq(1, ?CLIENTS)]}};
answer(since, #{done := Done, since := Since} = State) ->
    {(maps:with([refused, unknown, pause], State))#{rate => Done * 1000 div max(1, now_ms() - Since)}, fresh(State)};
answer(close, #{clients := Clients, told := Told} = State) ->
    [Pid ! close || {Pid, _} <- Clients],
    Last = drained(length(Clients), State),
    {ets:tab2list(Told), Last#{clients := []}}.

%% What the clients hear until they end counts too.
drained(0, State) -> State;
drained(Clients, State) ->
    receive
        {heard, Transfer, Outcome} -> drained(Clients, noted(Transfer, Outcome, State));
        {'DOWN', _, _, _, normal} -> drained(Clients - 1, State)
    end.

noted(Transfer, Outcome, #{told := Told, last := Last, pause := Pause} = State) ->
    true = ets:insert_new(Told, erlang:append_element(Transfer, Outcome)),
    Counted = maps:update_with(Outcome, fun(N) -> N + 1 end, State),
    case Outcome of
        done -> Counted#{last := now_ms(), pause := max(Pause, now_ms() - Last)};
        _ -> Counted
    end.

client(Teller, Index, Number) ->
    receive close -> ok
    after 0 ->
        [{all, Members}] = ets:lookup(members, all),
        Transfer = transfer({Index, Number}),
        Outcome = outcome(element(rand:uniform(tuple_size(Members)), Members), Transfer),
        Teller ! {heard, Transfer, Outcome},
        [timer:sleep(20) || Outcome =/= done],
        client(Teller, Index, Number + 1)
    end.

transfer(Id) ->
    From = rand:uniform(?ACCOUNTS),
    {Id, From, (From + rand:uniform(?ACCOUNTS - 1) - 1) rem ?ACCOUNTS + 1, rand:uniform(100)}.

outcome(Node, Transfer) ->
    try erpc:call(Node, bank, transfer, tuple_to_list(Transfer), 10000) of
        done -> done;
        {What, _} -> What
    catch
        error:{erpc, _} -> unknown
    end.

%% --- In the end ---

%% All members give the same pids for the same names: a clerk of each, and one head.
agreed(State) -> agreed(State, now_ms() + ?ALL_AGREE).

agreed(#{members := Members} = State, Until) ->
    Names = [call(Name, names, [], State) || Name <- maps:keys(Members)],
    Wanted = lists:sort([head | [{clerk, Node} || Node <- nodes_of(State)]]),
    case {lists:usort(Names), [Name || {Name, _} <- hd(Names)]} of
        {[_], Wanted} -> [];
        _ ->
            case now_ms() > Until of
                true -> [{names, Names}];
                false -> timer:sleep(100), agreed(State, Until)
            end
    end.

audit(Told, #{members := Members} = State) ->
    bank_audit:wrong(Told, ?ACCOUNTS, [{Name, call(Name, accounts, [], State), call(Name, ledger, [], State)}
                                       || Name <- maps:keys(Members)]).

summary(Told, Wrong) ->
    Count = fun(Outcome) -> length([Id || {Id, _, _, _, Heard} <- Told, Heard =:= Outcome]) end,
    [io_lib:format("~b transfers were told to be done, ~b to be refused, of ~b nobody heard.~n",
                   [Count(done), Count(refused), Count(unknown)]),
     case Wrong of
         [] ->
             "Each that was done is there once in all four copies, none that was refused; the accounts are the sums.\n";
         _ -> io_lib:format("WRONG, ~b: ~tp~n", [length(Wrong), lists:sublist(Wrong, 10)])
     end].
