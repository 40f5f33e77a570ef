%% The application controller: what is loaded and running from the start, environments, own applications with masters,
%% start phases, dependencies, callbacks and group leaders that reach standard output.
-module(applications).
-export([main/0]).
-export([start/2, start_phase/3, prep_stop/1, stop/1, config_change/3, init/1]).

main() ->
    io:format("kernel's environment ~p~n", [[application:get_env(kernel, K) || K <- [net_ticktime, logger_level,
            nothing]]]),
    logger:set_primary_config(level, none),
    from_the_start(),
    environments(),
    own(),
    dependencies(),
    ends(),
    failures(),
    stock(),
    leaders().

show(What, Result) -> io:format("~ts: ~0tp~n", [What, Result]).

from_the_start() ->
    show("running", lists:sort(application:which_applications())),
    show("loaded", lists:sort(application:loaded_applications())),
    [show(["key ", atom_to_list(Key)], application:get_key(App, Key))
     || App <- [kernel, stdlib],
        Key <- [description, vsn, registered, applications, mod, included_applications, maxT, maxP, start_phases,
                id]],
    show("no such key", application:get_key(kernel, colour)),
    show("not loaded", [application:get_key(crypto, vsn), application:get_all_key(crypto),
                        application:get_all_env(crypto)]),
    show("keys", [K || {K, _} <- element(2, application:get_all_key(stdlib))]),
    show("modules", length(element(2, application:get_key(stdlib, modules)))),
    show("whose module", [application:get_application(M) || M <- [lists, application, ?MODULE]]),
    show("whose process", [application:get_application(whereis(application_controller)),
                           application:get_application()]),
    show("controller", is_pid(whereis(application_controller))),
    show("start type", application:start_type()).

environments() ->
    show("default", [application:get_env(stdlib, a, d), application:get_env(nobody, a), application:get_env(a)]),
    show("set", [application:set_env(nobody, a, 1), application:get_env(nobody, a), application:get_all_env(nobody)]),
    show("unset", [application:unset_env(nobody, a), application:get_env(nobody, a)]),
    show("set several", [application:set_env([{one, [{x, 1}, {y, 2}]}, {two, [{z, 3}]}]),
                         lists:sort(application:get_all_env(one)),
                         application:get_env(two, z)]),
    show("badly", try application:set_env([{one, [{x, 1}]}, {one, []}]) catch error:E -> E end),
    show("persistent", [application:set_env(later, k, mine, [{persistent, true}]),
                        application:load({application, later, [{env, [{k, theirs}, {l, theirs}]}]}),
                        lists:sort(application:get_all_env(later))]),
    show("unload", [application:unload(later), application:unload(later), application:get_all_env(later)]).

specification(Name, Deps, Extra) ->
    {application, Name, [{description, "of the test"}, {vsn, "1"}, {modules, [?MODULE]}, {registered, []},
                         {applications, [kernel, stdlib | Deps]}, {mod, {?MODULE, Name}} | Extra]}.

own() ->
    show("load", application:load(specification(mine, [], [{env, [{level, 3}]}, {start_phases,
            [{one, 1}, {two, [2]}]}]))),
    show("again", application:load(specification(mine, [], []))),
    show("its environment", application:get_all_env(mine)),
    show("start", application:start(mine)),
    show("again", application:start(mine)),
    show("runs", [N || {N, _, _} <- application:which_applications()]),
    show("asked in it", call(mine, fun() -> {application:get_application(), application:get_env(level),
                                             application:start_type()} end)),
    show("its processes' leader is the master", call(mine, fun() ->
        {links, Links} = process_info(whereis(mine), links), [group_leader()] =:= Links end)),
    show("print", call(mine, fun() -> io:format("from inside~n"), io:put_chars(<<"λ\n"/utf8>>),
                       io:getopts() =/= [] end)),
    show("change", application_controller:config_change([])),
    show("unload while it runs", application:unload(mine)),
    show("stop", application:stop(mine)),
    show("stopped", [whereis(mine), application:stop(mine), application:unload(mine), application:start(mine)]).

call(Name, Fun) ->
    Ref = make_ref(),
    Name ! {self(), Ref, Fun},
    receive {Ref, Result} -> Result end.

dependencies() ->
    ok = application:load(specification(base, [], [])),
    ok = application:load(specification(middle, [base], [])),
    ok = application:load(specification(top, [middle, base], [])),
    show("not started", application:start(top)),
    show("all", application:ensure_all_started(top)),
    show("none", application:ensure_all_started(top)),
    show("ensure", [application:ensure_started(base), application:ensure_started(no_such_application)]),
    show("several", application:ensure_all_started(no_such_application)),
    [show("stop", application:stop(A)) || A <- [top, middle, base]].

%% A temporary application that ends is just gone.
ends() ->
    ok = application:start(base, temporary),
    Pid = whereis(base),
    Ref = monitor(process, Pid),
    exit(Pid, kill),
    Why = receive {'DOWN', Ref, _, _, R} -> R end,
    wait(fun() -> not lists:keymember(base, 1, application:which_applications()) end),
    show("ended", Why),
    show("restart", application:start(base, transient)),
    Ender = call(base, fun() -> spawn(fun() -> receive go -> base ! {end_with, normal} end end) end),
    show("normal end", is_pid(Ender)),
    Ender ! go,
    wait(fun() -> not lists:keymember(base, 1, application:which_applications()) end),
    show("loaded still", lists:keyfind(base, 1, application:loaded_applications())).

wait(Fun) ->
    case Fun() of
        true -> ok;
        false -> timer:sleep(5), wait(Fun)
    end.

failures() ->
    [begin
         ok = application:load(specification(Name, [], [])),
         {error, Reason} = application:start(Name),
         show(Name, strip(Reason)),
         show("unload", application:unload(Name))
     end || Name <- [returns_error, returns_nonsense, raises, throws, exits]],
    show("bad specification", [try application:load(S) catch error:E -> E end || S <- [{application, x},
            {application, "x", []}, 7,
                                                                  {application, x, [{env, [a]}]}]]),
    show("no such", [application:load(no_such_application), application:start(no_such_application)]).

%% Without the stack trace, which has lines of stock modules.
strip({{bad_return, {MFA, {'EXIT', {Reason, [_ | _]}}}}, Where}) -> {{bad_return, {MFA, {'EXIT', Reason}}}, Where};
strip(Reason) -> Reason.

stock() ->
    show("crypto", application:ensure_all_started(crypto)),
    show("compiler and syntax_tools", [application:ensure_all_started(A) || A <- [compiler, syntax_tools,
            parsetools]]),
    show("environment of an .app file", lists:sort(application:get_all_env(crypto))),
    show("runs", [N || {N, _, _} <- application:which_applications()]),
    show("stop", [application:stop(A) || A <- [crypto, syntax_tools]]).

%% Who asks the controller from many processes at once.
leaders() ->
    Self = self(),
    [spawn_link(fun() -> Self ! {N, application:set_env(many, N, N), application:get_env(many, N)} end)
     || N <- lists:seq(1, 200)],
    show("many", lists:usort([receive {N, ok, {ok, N}} -> ok end || N <- lists:seq(1, 200)])),
    show("sum", lists:sum([V || {_, V} <- application:get_all_env(many)])).

%% Callbacks.
start(_, returns_error) -> {error, no_wish};
start(_, returns_nonsense) -> nonsense;
start(_, raises) -> error(bad_start);
start(_, throws) -> throw(ball);
start(_, exits) -> exit(bad_start);
start(Type, Name) ->
    io:format("~p starts, ~p~n", [Name, Type]),
    {ok, Pid} = supervisor:start_link({local, list_to_atom("sup_" ++ atom_to_list(Name))}, ?MODULE, Name),
    [{_, Child, _, _}] = supervisor:which_children(Pid),
    {ok, Child, {state_of, Name}}.

init(Name) ->
    {ok, {#{}, [#{id => Name, start => {proc_lib, start_link, [erlang, apply, [fun serve/1, [Name]]]}}]}}.

serve(Name) ->
    register(Name, self()),
    proc_lib:init_ack({ok, self()}),
    serve().

serve() ->
    receive
        {From, Ref, Fun} -> From ! {Ref, Fun()}, serve();
        {end_with, Reason} -> exit(Reason)
    end.

start_phase(Phase, Type, Argument) -> io:format("phase ~p ~p ~p~n", [Phase, Type, Argument]).

prep_stop(State) -> io:format("about to stop with ~p~n", [State]), {prepared, State}.

stop(State) -> io:format("stopped with ~p~n", [State]).

config_change(Changed, New, Removed) -> io:format("changed ~p~n", [{Changed, New, Removed}]), ok.
