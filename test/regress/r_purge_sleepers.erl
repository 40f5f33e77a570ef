%% Whom a purge concerns: processes that slept since before the code was loaded, that ran it and left it, that wait in
%% it, above it, in a catch of it, hibernate, are suspended, have a fun or a literal of it, in their heap, their
%% dictionary or their queue; and what is left of them when code is purged again and again, old code and new.
-module(r_purge_sleepers).
-export([main/0, work/1]).

main() ->
    logger:set_primary_config(level, none),
    Before = [{slept, N, sleeper()} || N <- lists:seq(1, 3)],
    nothing_to_kill(5),
    show("they sleep", alive(Before)),
    load(two),
    load(one),
    Kinds = [K || {K, _} <- kinds()],
    show("kinds", Kinds),
    Ran = [{K, 1, start(F)} || {K, F} <- kinds()],
    [true = erlang:suspend_process(P) || {K, _, P} <- Ran, is_suspended(K)],
    _ = code:purge(sleepers_m),
    show("nothing of it is old", alive(Before ++ Ran)),
    load(two),
    show("soft", [{code:soft_purge(sleepers_m), erlang:check_old_code(sleepers_m)} || _ <- [1, 2]]),
    show("check", [{K, check_process_code(P, sleepers_m)} || {K, _, P} <- Ran]),
    show("hard", code:purge(sleepers_m)),
    ended([P || {K, _, P} <- Ran, runs(K)]),
    show("left", alive(Before ++ Ran)),
    show("they answer", [{K, ask(P)} || {K, _, P} <- Before ++ Ran, is_process_alive(P), not is_suspended(K)]),
    [true = erlang:resume_process(P) || {suspended_elsewhere, _, P} <- Ran],
    %% Who was passed over, looked at, or asked is so again, when the next code of it goes.
    show("again", [begin load(V), code:purge(sleepers_m) end || V <- [one, two, one, two]]),
    show("others", [begin load_other(N), code:delete(sleepers_other), code:purge(sleepers_other) end || N <- [1, 2, 3]]),
    show("left", alive(Before ++ Ran)),
    older_than_all(),
    [exit(P, kill) || {_, _, P} <- Before ++ Ran],
    woken_meanwhile(),
    show("the end", erlang:check_old_code(sleepers_m)).

nothing_to_kill(0) -> ok;
nothing_to_kill(N) ->
    load_other(N),
    true = code:delete(sleepers_other),
    false = code:purge(sleepers_other),
    nothing_to_kill(N - 1).

%% How they begin; each says when it is there.
kinds() ->
    Wait = fun() -> work(no_more) end,
    [{left, fun() -> sleepers_m:here(self()), Wait() end},
     {waits, fun() -> sleepers_m:wait() end},
     {below, fun() -> sleepers_m:call(Wait) end},
     {deep, fun() -> deep(5000, fun() -> sleepers_m:call(fun() -> deep(5000, Wait) end) end) end},
     {catches, fun() -> sleepers_m:catches(Wait) end},
     {hibernates, fun() -> sleepers_m:hibernates() end},
     {hibernates_elsewhere, fun() -> sleepers_m:here(self()), erlang:hibernate(?MODULE, work, [no_more]) end},
     {suspended, fun() -> sleepers_m:call(Wait) end},
     {suspended_elsewhere, Wait},
     {fun_in_heap, fun() -> work(sleepers_m:make(1)) end},
     {fun_in_dictionary, fun() -> put(f, sleepers_m:make(2)), work(no_more) end},
     {fun_in_queue, Wait},
     {literal, fun() -> work(sleepers_m:literal()) end},
     {literal_in_queue, Wait},
     {spawned_by_it, fun() -> sleepers_m:spawns(Wait) end},
     {slept_twice, Wait}].

runs(K) -> lists:member(K, [waits, below, deep, catches, hibernates, suspended]).

is_suspended(K) -> K =:= suspended orelse K =:= suspended_elsewhere.

start(F) ->
    P = spawn(F),
    wait_until(fun() -> process_info(P, status) =:= {status, waiting} end),
    P ! {look, self()},
    P ! {queued, sleepers_m:make(3), sleepers_m:literal()},
    wait_until(fun() -> process_info(P, status) =:= {status, waiting} end),
    P.

sleeper() -> spawn(fun() -> work(no_more) end).

%% Messages that nobody asked for stay in the queue.
work(Has) -> receive {ask, From, Ref} -> From ! {Ref, is_ok(Has)}, work(Has) end.

is_ok(no_more) -> ok;
is_ok(F) when is_function(F) -> is_function(F, 1);
is_ok(Literal) -> Literal.

ask(P) ->
    Ref = monitor(process, P),
    P ! {ask, self(), Ref},
    receive
        {Ref, Answer} -> demonitor(Ref, [flush]), Answer;
        {'DOWN', Ref, process, P, Reason} -> Reason
    end.

%% Code that is older than every process that sleeps, and than their last run.
older_than_all() ->
    load_other(10),
    Ps = [{K, P} || K <- lists:seq(1, 20), P <- [spawn(fun() -> work(no_more) end)]],
    show("all answer", lists:usort([ask(P) || {_, P} <- Ps])),
    In = spawn(fun() -> sleepers_other:wait() end),
    wait_until(fun() -> process_info(In, status) =:= {status, waiting} end),
    load_other(11),
    show("older than all", [code:soft_purge(sleepers_other), code:purge(sleepers_other)]),
    ended([In]),
    show("all answer", lists:usort([ask(P) || {_, P} <- Ps])),
    [exit(P, kill) || {_, P} <- Ps].

%% Processes that go in and out of the code all the time, while it is replaced and purged, keep a literal of it, and
%% send others. (Who is in it just then may be killed.)
woken_meanwhile() ->
    load(one),
    _ = code:purge(sleepers_m),
    Ps = [spawn_monitor(fun() -> calls(sleepers_m:literal()) end) || _ <- lists:seq(1, 10)],
    Pokes = spawn(fun() -> pokes([P || {P, _} <- Ps]) end),
    [begin load(V), _ = code:purge(sleepers_m) end || _ <- lists:seq(1, 30), V <- [two, one]],
    exit(Pokes, kill),
    [exit(P, kill) || {P, _} <- Ps],
    show("reasons", lists:usort([receive {'DOWN', R, process, P, Reason} -> Reason end || {P, R} <- Ps])).

calls(Kept) ->
    receive
        {poke, From} ->
            Literal = {literal, _} = sleepers_m:literal(),
            {literal, ["of it", #{a := "b"}]} = Kept,
            From ! {self(), Literal},
            calls(Literal)
    end.

pokes(Ps) ->
    [P ! {poke, self()} || P <- Ps],
    [receive {P, {literal, ["of it", #{a := "b"}]}} -> ok after 100 -> ok end || P <- Ps],
    pokes(Ps).

deep(0, F) -> F();
deep(N, F) -> [N | deep(N - 1, F)].

alive(All) -> [{K, N} || {K, N, P} <- All, is_process_alive(P)].

ended(Ps) -> wait_until(fun() -> not lists:any(fun is_process_alive/1, Ps) end).

wait_until(F) ->
    case F() of
        true -> ok;
        false -> receive after 1 -> wait_until(F) end
    end.

show(What, Term) -> io:format("~s: ~p~n", [What, Term]).

load(Version) ->
    _ = code:purge(sleepers_m),
    Exports = [{here, 1}, {wait, 0}, {call, 1}, {catches, 1}, {hibernates, 0}, {make, 1}, {literal, 0}, {spawns, 1}],
    load(sleepers_m, Exports,
         ["here(P) -> {P, " ++ atom_to_list(Version) ++ "}.",
          "wait() -> receive stop -> ok end.",
          "call(F) -> X = F(), {X, done}.",
          "catches(F) -> try F() catch error:_ -> ok end.",
          "hibernates() -> erlang:hibernate(sleepers_m, wait, []).",
          "make(X) -> fun(Y) -> {X, Y} end.",
          "literal() -> {literal, [\"of it\", #{a => \"b\"}]}.",
          "spawns(F) -> spawn(fun() -> wait() end), F()."]).

load_other(N) ->
    load(sleepers_other, [{number, 0}, {wait, 0}],
         ["number() -> {" ++ integer_to_list(N) ++ ", [\"a literal\"]}.", "wait() -> receive stop -> ok end."]).

load(Module, Exports, Functions) ->
    Forms = [{attribute, 1, module, Module}, {attribute, 1, export, Exports} | [form(F) || F <- Functions]],
    {ok, Module, Code} = compile:forms(Forms, []),
    {module, Module} = code:load_binary(Module, "", Code),
    ok.

form(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.
