-module(gen_server_tests).
-include_lib("eunit/include/eunit.hrl").
-behaviour(gen_server).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, handle_continue/2, terminate/2, code_change/3,
         format_status/1]).

init({fails, Why}) -> {stop, Why};
init(ignored) -> ignore;
init({raises, Why}) -> error(Why);
init({slow, Milliseconds}) -> timer:sleep(Milliseconds), {ok, slow};
init({timeout, Pid, Milliseconds}) -> {ok, {timeout, Pid}, Milliseconds};
init({continue, What}) -> {ok, [], {continue, What}};
init({hibernate, State}) -> {ok, State, hibernate};
init({tell, Pid}) -> process_flag(trap_exit, true), {ok, {tell, Pid}};
init(State) -> {ok, State}.

handle_call(get, _, State) -> {reply, State, State};
handle_call({set, New}, _, Old) -> {reply, Old, New};
handle_call({stop, Why}, _, State) -> {stop, Why, stopping, State};
handle_call({stop_silently, Why}, _, State) -> {stop, Why, State};
handle_call({later, Milliseconds}, From, State) ->
    erlang:send_after(Milliseconds, self(), {reply_to, From}),
    {noreply, State};
handle_call({raise, Class, Why}, _, _) -> erlang:raise(Class, Why, []);
handle_call({answer, Answer}, _, _) -> Answer;
handle_call({self_call, To}, _, State) -> {reply, catch gen_server:call(To, get), State};
handle_call(never, _, State) -> {noreply, State}.

handle_cast({add, X}, State) -> {noreply, [X | State]};
handle_cast({continue, X}, State) -> {noreply, State, {continue, X}};
handle_cast(stop, State) -> {stop, normal, State}.

handle_info(timeout, {timeout, Pid}) -> Pid ! timed_out, {noreply, timed_out};
handle_info({reply_to, From}, State) -> gen_server:reply(From, late), {noreply, State};
handle_info({'EXIT', _, Why}, {tell, Pid}) -> Pid ! {exit_seen, Why}, {noreply, {tell, Pid}};
handle_info(X, State) when is_list(State) -> {noreply, [{info, X} | State]}.

handle_continue(X, State) when X > 0 -> {noreply, [X | State], {continue, X - 1}};
handle_continue(0, State) -> {noreply, State}.

terminate(Why, {tell, Pid}) -> Pid ! {terminated, Why};
terminate(_, _) -> ok.

code_change(_, State, Extra) -> {ok, {changed, State, Extra}}.
format_status(Status) -> Status#{state => hidden}.

with(Argument, Fun) ->
    {ok, Pid} = gen_server:start(?MODULE, Argument, []),
    try Fun(Pid) after exit(Pid, kill) end.

call_and_cast_test() ->
    with([], fun(P) ->
        [gen_server:cast(P, {add, N}) || N <- lists:seq(1, 100)],
        ?assertEqual(lists:seq(100, 1, -1), gen_server:call(P, get)),
        P ! hello,
        ?assertMatch([{info, hello} | _], gen_server:call(P, get)),
        ?assertMatch([_ | _], gen_server:call(P, {set, x})),
        ?assertEqual(x, gen_server:call(P, get)) end).

starts_test_() ->
    [?_assertEqual({error, no}, gen_server:start(?MODULE, {fails, no}, [])),
     ?_assertEqual(ignore, gen_server:start(?MODULE, ignored, [])),
     ?_assertMatch({error, {oops, [_ | _]}}, gen_server:start(?MODULE, {raises, oops}, [])),
     ?_assertEqual({error, timeout}, gen_server:start(?MODULE, {slow, 10000}, [{timeout, 10}])),
     ?_assertMatch({error, {undef, _}}, gen_server:start(no_such_module, x, [])),
     ?_assertError(function_clause, gen_server:start("name", ?MODULE, x, []))].

names_test() ->
    {ok, P} = gen_server:start({local, gs_name}, ?MODULE, one, []),
    ?assertEqual({error, {already_started, P}}, gen_server:start({local, gs_name}, ?MODULE, two, [])),
    ?assertEqual(one, gen_server:call(gs_name, get)),
    ?assertEqual(ok, gen_server:stop(gs_name)),
    ?assertExit({noproc, {gen_server, call, [gs_name, get]}}, gen_server:call(gs_name, get)),
    ?assertExit(noproc, gen_server:stop(gs_name)).

timeouts_test() ->
    with({timeout, self(), 1}, fun(P) ->
        receive timed_out -> ok end,
        ?assertEqual(timed_out, gen_server:call(P, get)) end),
    with(x, fun(P) ->
        ?assertExit({timeout, {gen_server, call, [P, never, 10]}}, gen_server:call(P, never, 10)),
        ?assertEqual(late, gen_server:call(P, {later, 5})) end).

continue_test() ->
    with({continue, 3}, fun(P) ->
        ?assertEqual([1, 2, 3], gen_server:call(P, get)),
        gen_server:cast(P, {continue, 2}),
        ?assertEqual([1, 2, 1, 2, 3], gen_server:call(P, get)) end).

hibernate_test() -> with({hibernate, deep}, fun(P) -> ?assertEqual(deep, gen_server:call(P, get)) end).

ends_test_() ->
    Ends = fun(Request) ->
                   {ok, P} = gen_server:start(?MODULE, x, []),
                   Ref = monitor(process, P),
                   Answer = try gen_server:call(P, Request) catch exit:{Why, _} -> {exit, Why} end,
                   {Answer, receive {'DOWN', Ref, _, _, Down} -> Down end}
           end,
    [?_assertEqual({stopping, normal}, Ends({stop, normal})),
     ?_assertEqual({{exit, bad}, bad}, Ends({stop_silently, bad})),
     ?_assertMatch({{exit, {oops, _}}, {oops, _}}, Ends({raise, error, oops})),
     ?_assertEqual({{exit, gone}, gone}, Ends({raise, exit, gone})),
     ?_assertMatch({{exit, {bad_return_value, strange}}, {bad_return_value, strange}}, Ends({answer, strange})),
     ?_assertMatch({{exit, {bad_return_value, ball}}, _}, Ends({raise, throw, ball})),
     ?_assertMatch({{exit, {function_clause, [{?MODULE, handle_call, _, _} | _]}}, _}, Ends(unknown))].

terminate_test() ->
    {ok, P} = gen_server:start(?MODULE, {tell, self()}, []),
    exit(P, ignored),
    ?assertEqual(ignored, receive {exit_seen, W} -> W end),
    ?assertEqual(ok, gen_server:stop(P, {shutdown, x}, 5000)),
    ?assertEqual({shutdown, x}, receive {terminated, T} -> T end).

%% The parent's end is the server's.
parent_test() ->
    Self = self(),
    Parent = spawn(fun() -> {ok, P} = gen_server:start_link(?MODULE, {tell, Self}, []), Self ! P, receive stop ->
                   exit(end_of_parent) end end),
    receive P when is_pid(P) -> Ref = monitor(process, P), Parent ! stop, receive {'DOWN', Ref, _, _, W} ->
        ?assertEqual(end_of_parent, W) end end,
    ?assertEqual(end_of_parent, receive {terminated, T} -> T end).

to_itself_test() ->
    {ok, P} = gen_server:start({local, gs_self}, ?MODULE, x, []),
    ?assertMatch({'EXIT', {calling_self, _}}, gen_server:call(P, {self_call, P})),
    exit(P, kill).

requests_test() ->
    with(x, fun(P) ->
        Id = gen_server:send_request(P, get),
        ?assertEqual({reply, x}, gen_server:wait_response(Id, 5000)),
        Late = gen_server:send_request(P, never),
        ?assertEqual(timeout, gen_server:wait_response(Late, 1)),
        ?assertEqual({reply, x}, gen_server:receive_response(gen_server:send_request(P, get), 5000)),
        Ids = lists:foldl(fun(N, C) -> gen_server:send_request(P, get, N, C) end, gen_server:reqids_new(), [1, 2, 3]),
        ?assertEqual(3, gen_server:reqids_size(Ids)),
        {{reply, x}, Label, Rest} = gen_server:receive_response(Ids, 5000, true),
        ?assert(lists:member(Label, [1, 2, 3])),
        ?assertEqual(2, gen_server:reqids_size(Rest)) end).

system_test() ->
    with([1], fun(P) ->
        ?assertEqual([1], sys:get_state(P)),
        ?assertEqual([2], sys:replace_state(P, fun([N]) -> [N + 1] end)),
        ok = sys:suspend(P),
        ?assertExit({timeout, _}, gen_server:call(P, get, 5)),
        ok = sys:change_code(P, ?MODULE, old, extra),
        ok = sys:resume(P),
        ?assertEqual({changed, [2], extra}, gen_server:call(P, get)),
        {status, P, {module, gen_server}, [_, running, _, _, Misc]} = sys:get_status(P),
        ?assertNotEqual(nomatch, string:find(lists:flatten(io_lib:format("~p", [Misc])), "hidden")),
        ok = sys:statistics(P, true),
        gen_server:call(P, get),
        {ok, Statistics} = sys:statistics(P, get),
        ?assertEqual({messages_in, 1}, lists:keyfind(messages_in, 1, Statistics)) end).

%% Many clients at once, each gets its own answers.
many_clients_test() ->
    with(0, fun(P) ->
        Self = self(),
        [spawn_link(fun() -> Self ! {N, [gen_server:call(P, {answer, {reply, {N, M}, 0}}) || M <- lists:seq(1,
                50)]} end)
         || N <- lists:seq(1, 50)],
        [?assertEqual([{N, M} || M <- lists:seq(1, 50)], receive {N, L} -> L end) || N <- lists:seq(1, 50)] end).

multi_call_test() ->
    {ok, P} = gen_server:start({local, gs_multi}, ?MODULE, here, []),
    ?assertEqual({[{node(), here}], []}, gen_server:multi_call([node()], gs_multi, get)),
    ?assertEqual(abcast, gen_server:abcast([node()], gs_multi, stop)),
    Ref = monitor(process, P),
    receive {'DOWN', Ref, _, _, Why} -> ?assert(lists:member(Why, [normal, noproc])) end.
