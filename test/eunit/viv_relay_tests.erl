%% Names that are held for servers, and how they pass on.
-module(viv_relay_tests).
-include_lib("eunit/include/eunit.hrl").
-behaviour(gen_server).
-export([init/1, handle_call/3, handle_cast/2]).

init(X) -> {ok, X}.
handle_call(What, _, State) -> {reply, {What, State, self()}, State}.
handle_cast(_, State) -> {noreply, State}.

%% A server that registers itself, as the code server does.
server(Name, Answer) ->
    Parent = self(),
    Pid = spawn_link(fun() -> register(Name, self()), Parent ! {self(), ready}, serve(Answer) end),
    receive {Pid, ready} -> {ok, Pid} end.

serve(Answer) ->
    receive
        {ask, From, What} -> From ! {Answer, What, self()}, serve(Answer);
        {crash, Why} -> exit(Why)
    end.

ask(Name, What) ->
    Name ! {ask, self(), What},
    receive {Answer, What, Pid} -> {Answer, Pid} after 60000 -> nobody end.

starts_when_first_asked_test() ->
    Relay = viv_relay:start(held, fun() -> server(held, yes) end),
    ?assertEqual(Relay, whereis(held)),
    {yes, Server} = ask(held, 1),
    ?assertNotEqual(Relay, Server),
    ?assertEqual(Server, whereis(held)),
    ?assertEqual({registered_name, held}, process_info(Server, registered_name)),
    ?assertEqual([], process_info(Relay, registered_name)),
    ?assertEqual({yes, Server}, ask(Relay, 2)), % as somebody who had looked the name up before
    exit(Relay, kill).

opens_without_a_message_test() ->
    Relay = viv_relay:start(opened, fun() -> server(opened, yes) end),
    viv_relay:open(Relay),
    viv_relay:open(Relay),
    {yes, Server} = ask(opened, 1),
    ?assertEqual(Server, whereis(opened)),
    exit(Relay, kill).

messages_keep_their_order_test() ->
    Self = self(),
    Relay = viv_relay:start(ordered, fun() ->
        receive go -> ok end,
        server(ordered, yes) end),
    [ordered ! {ask, Self, N} || N <- lists:seq(1, 100)],
    Relay ! go,
    ?assertEqual(lists:seq(1, 100), [receive {yes, N, _} -> N after 60000 -> none end || _ <- lists:seq(1, 100)]),
    exit(Relay, kill).

ends_with_its_server_test() ->
    Self = self(),
    Relay = viv_relay:start(mortal, fun() ->
        {ok, Pid} = server(mortal, yes),
        {ok, Pid, fun(Why) -> Self ! {ended, Why} end} end),
    {yes, Server} = ask(mortal, 1),
    Ref = monitor(process, Relay),
    Server ! {crash, badly},
    ?assertEqual(badly, receive {ended, Why} -> Why after 60000 -> none end),
    ?assertEqual(badly, receive {'DOWN', Ref, _, _, Down} -> Down after 60000 -> none end),
    ?assertEqual(undefined, whereis(mortal)).

stops_test() ->
    Never = viv_relay:start(never, fun() -> error(not_asked) end),
    viv_relay:stop(Never),
    ?assertEqual(ok, receive {Never, stopped} -> ok after 60000 -> none end),
    Relay = viv_relay:start(stopped, fun() -> server(stopped, yes) end),
    {yes, Server} = ask(stopped, 1),
    Ref = monitor(process, Server),
    viv_relay:stop(Relay),
    ?assertEqual(ok, receive {Relay, stopped} -> ok after 60000 -> none end),
    ?assertEqual(shutdown, receive {'DOWN', Ref, _, _, Why} -> Why after 60000 -> none end),
    exit(Never, kill).

becomes_a_gen_server_test() ->
    Self = self(),
    Relay = viv_relay:become(becoming, ?MODULE, fun() -> Self ! prepared, init(argument) end),
    ?assertEqual({hello, argument, Relay}, gen_server:call(becoming, hello)),
    ?assertEqual(prepared, receive P -> P after 0 -> none end),
    ?assertEqual({?MODULE, init, 1}, proc_lib:translate_initial_call(Relay)),
    ?assertEqual(ok, gen_server:stop(Relay)).

%% Who may take a lent name over.
lend(Name) ->
    Self = self(),
    Pid = spawn(fun() ->
                        register(Name, self()),
                        Self ! {self(), ready},
                        lender(Self)
                end),
    receive {Pid, ready} -> Pid end.

lender(Self) ->
    receive
        lend -> true = viv_relay:lend_name();
        {child, Fun} -> spawn(fun() -> Self ! {child, self(), result(Fun)}, receive stop -> ok end end)
    end,
    lender(Self).

result(Fun) -> try Fun() catch _:Reason -> Reason end.

child() -> receive {child, Pid, Result} -> {Pid, Result} after 60000 -> none end.

only_when_lent_test() ->
    Lender = lend(not_lent),
    Lender ! {child, fun() -> register(not_lent, self()) end},
    ?assertMatch({_, badarg}, child()),
    ?assertEqual(Lender, whereis(not_lent)),
    exit(Lender, kill).

only_children_test() ->
    Lender = lend(lent),
    Lender ! lend,
    ?assertError(badarg, register(lent, self())),
    Lender ! {child, fun() ->
        Parent = self(),
        spawn(fun() -> Parent ! result(fun() -> register(lent, self()) end) end),
        receive R -> R end end},
    ?assertMatch({_, badarg}, child()),
    Lender ! {child, fun() -> register(another_name, self()), register(lent, self()) end},
    ?assertMatch({_, badarg}, child()),
    ?assertEqual(Lender, whereis(lent)),
    Lender ! {child, fun() -> register(lent, self()) end},
    {Child, true} = child(),
    ?assertEqual(Child, whereis(lent)),
    Lender ! {child, fun() -> register(lent, self()) end}, % only once
    ?assertMatch({_, badarg}, child()),
    exit(Lender, kill),
    ?assertEqual(Child, whereis(lent)),
    Child ! stop,
    gone(lent).

gone(Name) ->
    case whereis(Name) of
        undefined -> ok;
        _ -> timer:sleep(1), gone(Name)
    end.

%% The name is held at every moment, and by one of the children in the end.
many_children_test() ->
    [begin
         Lender = lend(wanted),
         Lender ! lend,
         [Lender ! {child, fun() -> register(wanted, self()) end} || _ <- lists:seq(1, 20)],
         Watch = fun Watch(0) -> ok;
                     Watch(N) -> true = is_pid(whereis(wanted)), Watch(N - 1)
                 end,
         Watch(2000),
         Results = [child() || _ <- lists:seq(1, 20)],
         [Winner] = [Pid || {Pid, true} <- Results],
         ?assertEqual(Winner, whereis(wanted)),
         [Pid ! stop || {Pid, _} <- Results],
         gone(wanted),
         exit(Lender, kill)
     end || _ <- lists:seq(1, 20)].

%% One that ends while a child takes its name.
lender_ends_test() ->
    [begin
         Self = self(),
         Lender = lend(passing),
         Lender ! lend,
         Lender ! {child, fun() -> Self ! {born, self()}, receive go -> register(passing, self()) end end},
         Child = receive {born, Born} -> Born end,
         Child ! go,
         exit(Lender, kill),
         {Child, Result} = child(),
         case Result of
             true -> ?assertEqual(Child, whereis(passing));
             badarg -> ok % neither child nor parent any more, or not seen as such
         end,
         Child ! stop,
         gone(passing)
     end || _ <- lists:seq(1, 100)].
