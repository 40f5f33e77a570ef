%% A running application goes to its next version and back as release_handler does it: it looks through the supervisors
%% of all applications for the processes that run a module, suspends them, loads, and has them change their state.
-module(upgrades).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    Folder = filename:join("/tmp", "viv_upgrades_" ++ os:getpid()),
    try upgrades(Folder) after file:del_dir_r(Folder) end.

show(What, Result) -> io:format("~ts: ~0tp~n", [What, Result]).

upgrades(Folder) ->
    [First, Second] = [version(Folder, V) || V <- ["1", "2"]],
    Appup = {"2", [{"1", [{update, up_server, {advanced, further}}, {load_module, up_sup}]}],
             [{"1", [{update, up_server, {advanced, back}}]}]},
    ok = file:write_file(filename:join([Second, "ebin", "up.appup"]), io_lib:format("~p.~n", [Appup])),
    code:add_pathz(filename:join(First, "ebin")),
    show("start", [application:start(up), application:start(sasl), state()]),
    show("roots are supervisors", lists:sort([{A, root(A)} || {A, _, _} <- application:which_applications()])),
    show("script", release_handler:upgrade_script(up, Second)),
    show("up", [release_handler:upgrade_app(up, Second), state()]),
    show("where", [relative(Folder, code:which(M)) || M <- [up_server, up_sup]]),
    show("down", [release_handler:downgrade_app(up, "1", First), state()]),
    show("again", [release_handler:upgrade_app(up, Second), state()]),
    show("no such version", release_handler:downgrade_app(up, "7", First)),
    show("by hand", [sys:suspend(up_server), sys:change_code(up_server, up_server, "2", extra),
                     sys:resume(up_server), state()]),
    show("stop", [application:stop(up), application:stop(sasl), whereis(up_server)]).

state() -> gen_server:call(up_server, get).

root(Application) ->
    case application_controller:get_master(Application) of
        Master when is_pid(Master) ->
            {Root, _} = application_master:get_child(Master),
            {status, Root, {module, gen_server}, [Dictionary | _]} = sys:get_status(Root),
            element(1, proplists:get_value('$initial_call', Dictionary));
        undefined ->
            none
    end.

relative(Folder, File) -> string:prefix(File, Folder).

version(Folder, V) ->
    Library = filename:join(Folder, "up-" ++ V),
    Ebin = filename:join(Library, "ebin"),
    ok = filelib:ensure_dir(filename:join(Ebin, "x")),
    [begin
         {ok, M, Code} = compile:forms([form(F) || F <- Functions]),
         ok = file:write_file(filename:join(Ebin, atom_to_list(M) ++ ".beam"), Code)
     end || Functions <- [server(V), supervisor(), application()]],
    App = {application, up, [{description, "of the test"}, {vsn, V}, {modules, [up, up_sup, up_server]},
                             {registered, [up_sup, up_server]}, {applications, [kernel, stdlib]}, {mod, {up, []}}]},
    ok = file:write_file(filename:join(Ebin, "up.app"), io_lib:format("~p.~n", [App])),
    Library.

server(V) ->
    ["-module(up_server).", "-behaviour(gen_server).", "-vsn(\"" ++ V ++ "\").",
     "-export([start_link/0, init/1, handle_call/3, handle_cast/2, code_change/3]).",
     "start_link() -> gen_server:start_link({local, up_server}, up_server, [], []).",
     "init([]) -> {ok, {at, " ++ V ++ "}}.",
     "handle_call(get, _, State) -> {reply, {" ++ V ++ ", State}, State}.",
     "handle_cast(_, State) -> {noreply, State}.",
     "code_change(Version, State, Extra) -> {ok, {at, " ++ V ++ ", from, Version, Extra, State}}."].

supervisor() ->
    ["-module(up_sup).", "-behaviour(supervisor).", "-export([start_link/0, init/1]).",
     "start_link() -> supervisor:start_link({local, up_sup}, up_sup, []).",
     "init([]) -> {ok, {#{}, [#{id => up_server, start => {up_server, start_link, []}}]}}."].

application() ->
    ["-module(up).", "-behaviour(application).", "-export([start/2, stop/1]).", "start(_, _) -> up_sup:start_link().",
     "stop(_) -> ok."].

form(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.
