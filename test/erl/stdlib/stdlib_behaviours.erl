%% Processes of the stock behaviours: servers, state machines, events, supervisors.
-module(stdlib_behaviours).
-export([main/0]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, handle_continue/2, terminate/2, code_change/3]).
-export([callback_mode/0, locked/3, open/3, handle_event/2, handle_call/2, start_worker/2, start_counter/1]).
-include("../t.hrl").

main() ->
    logger:set_primary_config(level, none),
    t(server, fun server/0),
    t(server_timeouts, fun server_timeouts/0),
    t(server_stops, fun server_stops/0),
    t(server_crash, fun server_crash/0),
    t(server_names, fun server_names/0),
    t(multi_call, fun() -> {ok, P} = start_counter(0), {[{_, 0}], []} = {[{node(), gen_server:call(P, get)}], []} end),
    t(send_request, fun requests/0),
    t(statem, fun statem/0),
    t(statem_timeouts, fun statem_timeouts/0),
    t(events, fun events/0),
    t(supervisor, fun one_for_one/0),
    t(supervisor_rest, fun rest_for_one/0),
    t(supervisor_simple, fun simple/0),
    t(supervisor_intensity, fun intensity/0),
    t(proc_lib, fun plain/0),
    t(sys, fun sys_calls/0),
    t(applications, fun applications/0).

%% A server that counts.
start_counter(N) -> gen_server:start(?MODULE, {counter, N}, []).

init({counter, N}) -> {ok, {counter, N}};
init({continue, N}) -> {ok, {counter, N}, {continue, add_ten}};
init({timeout, Ms}) -> {ok, {timeout, 0}, Ms};
init(stop) -> {stop, no_wish};
init(ignore) -> ignore;
init(crash) -> error(in_init);
init({statem, Code}) -> process_flag(trap_exit, true), {ok, locked, #{code => Code, left => Code}};
init({events, To}) -> {ok, To};
init({supervisor, Flags, Children}) -> {ok, {Flags, Children}}.

handle_call(get, _From, {counter, N} = S) -> {reply, N, S};
handle_call({add, M}, _From, {counter, N}) -> {reply, N + M, {counter, N + M}};
handle_call(later, From, S) -> self() ! {answer, From}, {noreply, S};
handle_call(crash, _From, _) -> error(asked_to);
handle_call(slow, _From, S) -> timer:sleep(200), {reply, slow, S};
handle_call(stop, _From, S) -> {stop, normal, stopping, S};
handle_call(badly, _From, _S) -> not_a_reply.
handle_cast({add, M}, {counter, N}) -> {noreply, {counter, N + M}};
handle_cast({stop, Reason}, S) -> {stop, Reason, S}.
handle_info({answer, From}, S) -> gen_server:reply(From, answered), {noreply, S};
handle_info(timeout, {timeout, N}) when N < 2 -> {noreply, {timeout, N + 1}, 5};
handle_info(timeout, {timeout, _}) -> {stop, {shutdown, timed_out}, done};
handle_info(_, S) -> {noreply, S}.
handle_continue(add_ten, {counter, N}) -> {noreply, {counter, N + 10}}.
terminate(_Reason, {counter, 77}) -> error(in_terminate);
terminate(_Reason, _S) -> ok.
code_change(_, S, _) -> {ok, S}.

server() ->
    {ok, P} = start_counter(1),
    A = gen_server:call(P, get),
    ok = gen_server:cast(P, {add, 4}),
    B = gen_server:call(P, {add, 10}),
    C = gen_server:call(P, later),
    {ok, Q} = gen_server:start_link(?MODULE, {continue, 5}, []),
    D = gen_server:call(Q, get),
    E = gen_server:call(P, stop),
    [A, B, C, D, E, gen_server:stop(Q), is_process_alive(Q)].

server_timeouts() ->
    {ok, P} = gen_server:start(?MODULE, {timeout, 5}, []),
    Ref = monitor(process, P),
    Down = receive {'DOWN', Ref, _, _, Reason} -> Reason end,
    {ok, Q} = start_counter(0),
    Slow = (catch gen_server:call(Q, slow, 20)),
    {Down, element(1, element(2, Slow)), receive {_, slow} -> late_answer after 400 -> no_late_answer end}.

server_stops() ->
    process_flag(trap_exit, true),
    R = [gen_server:start(?MODULE, stop, []), gen_server:start(?MODULE, ignore, []),
         gen_server:start_link(?MODULE, stop, []),
         element(1, element(2, gen_server:start(?MODULE, crash, [])))],
    X = receive {'EXIT', _, W} when W =/= normal -> W after 100 -> none end,
    process_flag(trap_exit, false),
    {R, X}.

server_crash() ->
    {ok, P} = start_counter(0),
    Ref = monitor(process, P),
    Call = (catch gen_server:call(P, crash)),
    {'EXIT', {{asked_to, [{M, F, A, _} | _]}, {gen_server, call, [_, crash]}}} = Call,
    Down = receive {'DOWN', Ref, _, _, {R, _}} -> R end,
    {ok, Q} = start_counter(0),
    {'EXIT', {{bad_return_value, V}, _}} = (catch gen_server:call(Q, badly)),
    {M, F, A, Down, V, element(1, element(2, (catch gen_server:call(Q, get))))}.

server_names() ->
    {ok, P} = gen_server:start({local, a_name}, ?MODULE, {counter, 3}, []),
    R = {gen_server:call(a_name, get), gen_server:start({local, a_name}, ?MODULE, {counter, 3}, []) =:=
             {error, {already_started, P}}, whereis(a_name) =:= P},
    ok = gen_server:stop(a_name),
    {R, catch gen_server:call(a_name, get)}.

requests() ->
    {ok, P} = start_counter(2),
    R1 = gen_server:send_request(P, get),
    R2 = gen_server:send_request(P, {add, 5}),
    [gen_server:wait_response(R1, 60000), gen_server:receive_response(R2, 60000)].

%% A lock with a code.
callback_mode() -> [state_functions, state_enter].
locked(enter, _, _) -> keep_state_and_data;
locked(cast, {button, B}, #{left := [B]} = D) -> {next_state, open, D#{left => []}, [{state_timeout, 30, lock}]};
locked(cast, {button, B}, #{left := [B | Rest]} = D) -> {keep_state, D#{left => Rest}};
locked(cast, {button, _}, #{code := Code} = D) -> {keep_state, D#{left => Code}};
locked({call, From}, state, _) -> {keep_state_and_data, [{reply, From, locked}]};
locked({call, From}, postponed, _) -> _ = From, {keep_state_and_data, [postpone]};
locked(info, _, _) -> keep_state_and_data.
open(enter, locked, D) -> {keep_state, D#{entered => true}};
open(state_timeout, lock, #{code := Code} = D) -> {next_state, locked, D#{left => Code}};
open({call, From}, _, #{entered := E}) -> {keep_state_and_data, [{reply, From, {open, E}}]};
open(cast, _, _) -> keep_state_and_data.

statem() ->
    {ok, P} = gen_statem:start(?MODULE, {statem, [1, 2]}, []),
    A = gen_statem:call(P, state),
    [gen_statem:cast(P, {button, B}) || B <- [1, 1, 1, 2]],
    B = gen_statem:call(P, state),
    {A, B, gen_statem:stop(P)}.

statem_timeouts() ->
    {ok, P} = gen_statem:start(?MODULE, {statem, [9]}, []),
    Self = self(),
    Caller = spawn(fun() -> Self ! {postponed, gen_statem:call(P, postponed)} end),
    until(fun() -> process_info(Caller, status) =:= {status, waiting} end),
    gen_statem:cast(P, {button, 9}),
    A = receive {postponed, X} -> X after 60000 -> nothing end,
    until(fun() -> gen_statem:call(P, state) =:= locked end),
    {A, gen_statem:call(P, state)}.

until(F) -> F() orelse begin receive after 1 -> ok end, until(F) end.

handle_event(Event, To) when is_pid(To) -> To ! {event, Event}, {ok, To};
handle_event(_, S) -> {ok, S}.
handle_call(what, To) -> {ok, is_pid(To), To}.

events() ->
    {ok, M} = gen_event:start(),
    ok = gen_event:add_handler(M, ?MODULE, {events, self()}),
    gen_event:notify(M, one),
    gen_event:sync_notify(M, two),
    Got = [receive {event, E} -> E after 60000 -> none end || _ <- [1, 2]],
    A = gen_event:call(M, ?MODULE, what),
    B = gen_event:which_handlers(M),
    C = gen_event:delete_handler(M, ?MODULE, bye),
    {Got, A, B, C, gen_event:which_handlers(M), gen_event:stop(M)}.

start_worker(Name, To) ->
    {ok, proc_lib:spawn_link(fun() -> register(Name, self()), To ! {started, Name}, worker() end)}.

worker() -> receive {crash, R} -> exit(R); stop -> ok end, worker().

child(Name, Restart) ->
    #{id => Name, start => {?MODULE, start_worker, [Name, self()]}, restart => Restart, shutdown => 1000}.

supervised(Flags, Children) ->
    process_flag(trap_exit, true),
    {ok, S} = supervisor:start_link(?MODULE, {supervisor, Flags, Children}),
    S.

started(N) -> lists:sort([receive {started, Name} -> Name after 60000 -> missing end || _ <- lists:seq(1, N)]).

down(S) ->
    unlink(S), exit(S, shutdown),
    Ref = monitor(process, S),
    receive {'DOWN', Ref, _, _, Why} -> Why end.

one_for_one() ->
    S = supervised(#{strategy => one_for_one, intensity => 5, period => 10},
                   [child(w1, permanent), child(w2, transient), child(w3, temporary)]),
    A = started(3),
    w1 ! {crash, bad}, B = started(1),
    w2 ! {crash, normal}, w3 ! {crash, bad},
    until(fun() -> [P || {Id, P, _, _} <- supervisor:which_children(S), Id =/= w1, is_pid(P)] =:= [] end),
    C = [{Id, is_pid(P), Type, Mods} || {Id, P, Type, Mods} <- supervisor:which_children(S)],
    D = supervisor:count_children(S),
    E = {supervisor:terminate_child(S, w1), supervisor:restart_child(S, w1), supervisor:delete_child(S, w2)},
    {A, B, C, D, element(1, E), element(1, element(2, E)), element(3, E), started(1), down(S)}.

rest_for_one() ->
    S = supervised(#{strategy => rest_for_one}, [child(r1, permanent), child(r2, permanent), child(r3, permanent)]),
    A = started(3),
    r2 ! {crash, bad},
    B = started(2),
    {A, B, down(S)}.

simple() ->
    S = supervised(#{strategy => simple_one_for_one},
                   [#{id => any, start => {?MODULE, start_counter, []}, restart => temporary}]),
    Pids = [P || N <- [1, 2, 3], {ok, P} <- [supervisor:start_child(S, [N])]],
    A = [gen_server:call(P, get) || P <- Pids],
    ok = supervisor:terminate_child(S, hd(Pids)),
    {A, [is_process_alive(P) || P <- Pids], supervisor:count_children(S), down(S)}.

intensity() ->
    S = supervised(#{strategy => one_for_all, intensity => 1, period => 10}, [child(i1, permanent), child(i2, permanent)]),
    A = started(2),
    i1 ! {crash, bad}, B = started(2),
    i2 ! {crash, bad},
    {A, B, receive {'EXIT', S, Why} -> Why after 60000 -> alive end}.

sys_calls() ->
    {ok, P} = start_counter(5),
    A = sys:get_state(P),
    B = sys:replace_state(P, fun({counter, N}) -> {counter, N * 2} end),
    ok = sys:suspend(P),
    {status, P, {module, M}, [_, Sys, _, _, _]} = sys:get_status(P),
    ok = sys:resume(P),
    {A, B, M, Sys, gen_server:call(P, get)}.

applications() ->
    {ok, [{application, Name, Keys}]} = file:consult(code:where_is_file("stdlib.app")),
    {Name, proplists:get_value(registered, Keys), lists:member({vsn, proplists:get_value(vsn, Keys)}, Keys)}.

plain() ->
    Self = self(),
    Q = proc_lib:spawn(fun() -> Self ! {call, proc_lib:translate_initial_call(self()), hd(get('$ancestors')) =:= Self} end),
    Call = receive {call, {M, _, A}, Ancestor} -> {M, A, Ancestor} end,
    {is_pid(Q), Call, proc_lib:start(erlang, exit, [no_start])}.
