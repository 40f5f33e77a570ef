-module(gen_statem_tests).
-include_lib("eunit/include/eunit.hrl").
-behaviour(gen_statem).
-export([init/1, callback_mode/0, handle_event/4, terminate/3, code_change/4]).

%% A door with a code: locked -> open -> locked, and a few states that only try something.
callback_mode() -> [handle_event_function, state_enter].

init({Code, To}) -> process_flag(trap_exit, true), {ok, locked, #{code => Code, left => Code, to => To}};
init(fails) -> {stop, no};
init(ignored) -> ignore.

handle_event(enter, Old, State, #{to := To} = Data) ->
    To ! {enter, Old, State},
    Actions = case State of
                  open -> [{state_timeout, 20, lock}];
                  slow -> [{timeout, 5, idle}, {{timeout, named}, 10, named}];
                  _ -> []
              end,
    {keep_state, Data, Actions};
handle_event(cast, {button, D}, locked, #{left := [D]} = Data) -> {next_state, open, Data};
handle_event(cast, {button, D}, locked, #{left := [D | Left]} = Data) -> {keep_state, Data#{left := Left}};
handle_event(cast, {button, _}, locked, #{code := Code} = Data) -> {keep_state, Data#{left := Code}};
handle_event(state_timeout, lock, open, #{code := Code} = Data) -> {next_state, locked, Data#{left := Code}};
handle_event({call, From}, state, State, _) -> {keep_state_and_data, [{reply, From, State}]};
handle_event({call, From}, {go, State}, _, Data) -> {next_state, State, Data, [{reply, From, ok}]};
handle_event({call, From}, wait_for_open, locked, _) -> {keep_state_and_data, [postpone, {next_event, internal,
        {noted, From}}]};
handle_event({call, From}, wait_for_open, open, _) -> {keep_state_and_data, [{reply, From, it_is_open}]};
handle_event({call, From}, repeat, _, Data) -> {repeat_state, Data, [{reply, From, ok}]};
handle_event({call, From}, {order, N}, _, _) ->
    {keep_state_and_data, [{next_event, internal, {tell, I}} || I <- lists:seq(1, N)] ++ [{reply, From, ok}]};
handle_event({call, From}, stop, _, Data) -> {stop_and_reply, {shutdown, asked}, [{reply, From, bye}], Data};
handle_event({call, _}, {raise, Why}, _, _) -> error(Why);
handle_event({call, From}, hibernate, _, _) -> {keep_state_and_data, [{reply, From, ok}, hibernate]};
handle_event({call, From}, open_for_good, _, Data) ->
    {next_state, open, Data, [{reply, From, ok}, {next_event, internal, cancel}]};
handle_event(internal, cancel, open, _) -> {keep_state_and_data, [{state_timeout, cancel}]};
handle_event(internal, What, _, #{to := To}) -> To ! {internal, What}, keep_state_and_data;
handle_event(timeout, What, State, #{to := To}) -> To ! {timeout, What, State}, keep_state_and_data;
handle_event({timeout, Name}, What, State, #{to := To}) -> To ! {timeout, Name, What, State}, keep_state_and_data;
handle_event(info, What, State, #{to := To}) -> To ! {info, What, State}, keep_state_and_data.

terminate(Why, State, #{to := To}) -> To ! {terminated, Why, State}.
code_change(_, State, Data, _) -> {ok, State, Data#{changed => true}}.

start(Code) ->
    {ok, P} = gen_statem:start(?MODULE, {Code, self()}, []),
    expect({enter, locked, locked}),
    P.

expect(What) -> ?assertEqual(What, receive M -> M after 60000 -> none end).

opens_test() ->
    P = start([1, 2, 3]),
    [gen_statem:cast(P, {button, B}) || B <- [1, 2, 9, 1, 2, 3]],
    expect({enter, locked, open}),
    expect({enter, open, locked}), % by its timeout
    ?assertEqual(locked, gen_statem:call(P, state)),
    ok = gen_statem:stop(P),
    expect({terminated, normal, locked}).

postpone_test() ->
    P = start([1]),
    Id = gen_statem:send_request(P, wait_for_open),
    receive {internal, {noted, _}} -> ok end,
    ?assertEqual(locked, gen_statem:call(P, state)),
    gen_statem:cast(P, {button, 1}),
    expect({enter, locked, open}),
    ?assertEqual({reply, it_is_open}, gen_statem:receive_response(Id, 60000)),
    expect({enter, open, locked}),
    exit(P, kill).

timeouts_test() ->
    P = start([1]),
    ok = gen_statem:call(P, {go, slow}),
    expect({enter, locked, slow}),
    expect({timeout, idle, slow}),
    expect({timeout, named, named, slow}),
    ok = gen_statem:call(P, open_for_good),
    expect({enter, slow, open}),
    timer:sleep(40),
    ?assertEqual(open, gen_statem:call(P, state)),
    exit(P, kill).

repeat_and_order_test() ->
    P = start([1]),
    ok = gen_statem:call(P, repeat),
    expect({enter, locked, locked}),
    ok = gen_statem:call(P, {order, 5}),
    [expect({internal, {tell, N}}) || N <- lists:seq(1, 5)],
    ok = gen_statem:call(P, hibernate),
    P ! hello,
    expect({info, hello, locked}),
    exit(P, kill).

ends_test() ->
    P = start([1]),
    ?assertEqual(bye, gen_statem:call(P, stop)),
    expect({terminated, {shutdown, asked}, locked}),
    Q = start([1]),
    ?assertExit({{oops, [{?MODULE, handle_event, 4, _} | _]}, {gen_statem, call, [Q, {raise, oops}, infinity]}},
                gen_statem:call(Q, {raise, oops})),
    expect({terminated, oops, locked}),
    ?assertExit({noproc, _}, gen_statem:call(Q, state)).

starts_test_() ->
    [?_assertEqual({error, no}, gen_statem:start(?MODULE, fails, [])), ?_assertEqual(ignore,
            gen_statem:start(?MODULE, ignored, []))].

system_test() ->
    P = start([1]),
    ?assertMatch({locked, #{code := [1]}}, sys:get_state(P)),
    ok = sys:suspend(P),
    ok = sys:change_code(P, ?MODULE, old, []),
    ok = sys:resume(P),
    ?assertMatch({locked, #{changed := true}}, sys:get_state(P)),
    exit(P, kill).
