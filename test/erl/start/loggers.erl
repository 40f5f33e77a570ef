%% The stock logger: configuration, handlers of all kinds, filters, levels, formats, what crashes report, error_logger.
-module(loggers).
-export([main/0]).
-export([log/2, adding_handler/1, removing_handler/1, changing_config/3, filter_config/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_event/2]).
-include_lib("kernel/include/logger.hrl").

main() ->
    defaults(),
    io:format("~p~n", [logger:remove_handler(default)]),
    own_handler(),
    levels(),
    filters(),
    metadata(),
    crashes(),
    files(),
    disk_logs(),
    formats(),
    error_logger(),
    mistakes(),
    many().

show(What, Result) -> io:format("~ts: ~0tp~n", [What, Result]).

defaults() ->
    show("primary", logger:get_primary_config()),
    show("handlers", logger:get_handler_ids()),
    {ok, Default} = logger:get_handler_config(default),
    #{config := Config} = Default,
    show("default", Default#{config := maps:remove(type, Config)}),
    show("proxy", logger:get_proxy_config()),
    show("modules", logger:get_module_level()),
    show("servers", [is_pid(whereis(S)) || S <- [logger, logger_sup, logger_proxy, logger_handler_watcher,
                                                 logger_std_h_default]]),
    show("children", lists:sort([{Id, T, Modules} || {Id, _, T, Modules} <- supervisor:which_children(logger_sup)])),
    show("processes", [proc_lib:translate_initial_call(whereis(S)) || S <- [logger, logger_proxy]]),
    show("below", lists:member(logger_sup, [Id || {Id, _, _, _} <- supervisor:which_children(kernel_sup)])),
    show("change default", [logger:set_handler_config(default, level, critical),
                            logger:update_handler_config(default, #{level => error}),
                            logger:set_handler_config(default, formatter, {logger_formatter, #{template => [msg]}}),
                            logger:update_formatter_config(default, single_line, true),
                            element(1, logger:set_handler_config(default, config, #{type => file})),
                            logger:update_handler_config(default, config, #{sync_mode_qlen => 5}),
                            logger:update_proxy_config(#{sync_mode_qlen => 400}), maps:get(sync_mode_qlen,
                                    logger:get_proxy_config())]),
    {ok, Changed} = logger:get_handler_config(default),
    show("changed", maps:without([config, filters], Changed)).

%% A handler that sends what it gets to this process.
log(Event, #{config := #{to := Pid}, id := Id}) -> Pid ! {Id, Event}.
adding_handler(Config) -> io:format("adding ~p~n", [maps:get(id, Config)]), {ok, Config}.
removing_handler(Config) -> io:format("removing ~p~n", [maps:get(id, Config)]), ok.
changing_config(How, Old, New) ->
    io:format("~p ~p to ~p~n", [How, maps:get(level, Old), maps:get(level, New)]),
    {ok, New}.
filter_config(Config) -> maps:remove(config, Config).

own_handler() ->
    show("add", logger:add_handler(mine, ?MODULE, #{config => #{to => self()}})),
    show("again", logger:add_handler(mine, ?MODULE, #{})),
    show("no module", logger:add_handler(other, no_such_module, #{})),
    show("not a handler", logger:add_handler(other, lists, #{})),
    show("bad", [logger:add_handler(other, ?MODULE, C) || C <- [#{level => loud}, #{filters => x},
                                                                #{formatter => 1}]]),
    show("config", logger:get_handler_config(mine)),
    logger:error("text ~p", [1]),
    next("format"),
    logger:warning("λ"),
    next("string"),
    logger:notice(#{a => 1}),
    next("report"),
    logger:alert([{a, 1}]),
    next("list report"),
    ?LOG_ERROR("macro ~p", [x]),
    next("macro"),
    ?LOG_WARNING(fun(X) -> {"lazy ~p", [X]} end, y),
    next("lazy"),
    logger:info("not logged"),
    logger:debug("not logged"),
    nothing("below"),
    show("change", logger:set_handler_config(mine, level, error)),
    logger:warning("not taken"),
    nothing("below the handler's"),
    show("update", logger:update_handler_config(mine, #{level => all})).

next(What) ->
    receive
        {Id, #{level := Level, msg := Msg, meta := Meta}} ->
            Kept = maps:without([time, pid, gl, file, line], Meta),
            io:format("~ts: ~p ~p ~0tp ~0tp~n", [What, Id, Level, plain(Msg), plain(Kept)])
    after 60000 -> io:format("~ts: nothing came~n", [What])
    end.

%% Logging is synchronous as far as the handler's callback goes.
nothing(What) ->
    receive {_, Event} -> io:format("~ts: ~0tp~n", [What, Event]) after 0 -> io:format("~ts: nothing~n", [What]) end.

%% Without pids, functions and the traces that have lines of stock modules.
plain(Pid) when is_pid(Pid) -> pid;
plain(Fun) when is_function(Fun) -> {function, erlang:fun_info(Fun, arity)};
plain(Ref) when is_reference(Ref) -> ref;
plain({Key, N}) when Key =:= heap_size; Key =:= stack_size; Key =:= reductions -> {Key, N > 0};
plain([{M, F, A, L} | _]) when is_atom(M), is_atom(F), is_list(L) -> {trace, M, F, plain(A)};
plain([H | T]) -> [plain(H) | plain(T)];
plain(T) when is_tuple(T) -> list_to_tuple(plain(tuple_to_list(T)));
plain(M) when is_map(M) -> maps:map(fun(_, V) -> plain(V) end, M);
plain(X) -> X.

levels() ->
    show("set", logger:set_primary_config(level, debug)),
    logger:debug("now"),
    next("debug"),
    show("set", logger:set_primary_config(level, none)),
    logger:emergency("not even this"),
    nothing("none"),
    show("set", logger:set_primary_config(#{level => notice})),
    show("module", [logger:set_module_level(?MODULE, debug), logger:get_module_level(),
                    logger:get_module_level(lists)]),
    ?LOG_DEBUG("of this module"),
    next("debug"),
    show("allow", [logger:allow(L, M) || L <- [debug, info, notice, error], M <- [?MODULE, lists]]),
    show("unset", [logger:unset_module_level(?MODULE), logger:get_module_level(), logger:unset_module_level()]),
    ?LOG_DEBUG("not any more"),
    nothing("unset"),
    show("compare", [logger:compare_levels(A, B) || {A, B} <- [{error, debug}, {debug, error}, {info, info},
                                                               {all, none}]]).

filters() ->
    Stop = {fun(#{msg := {string, "secret"}}, _) -> stop; (_, _) -> ignore end, []},
    Mark = {fun(#{meta := Meta} = E, X) -> E#{meta := Meta#{marked => X}} end, red},
    show("add", [logger:add_primary_filter(stop, Stop), logger:add_handler_filter(mine, mark, Mark),
                 logger:add_primary_filter(stop, Stop)]),
    logger:error("secret"),
    nothing("stopped"),
    logger:error("open"),
    next("marked"),
    show("remove", [logger:remove_primary_filter(stop), logger:remove_handler_filter(mine, mark),
                    logger:remove_primary_filter(stop)]),
    logger:error("secret"),
    next("open again"),
    {ok, Domain} = {ok, {fun logger_filters:domain/2, {stop, sub, [quiet]}}},
    ok = logger:add_handler_filter(mine, domain, Domain),
    logger:error("no", #{domain => [quiet, here]}),
    nothing("by domain"),
    ok = logger:remove_handler_filter(mine, domain).

metadata() ->
    show("process", [logger:get_process_metadata(), logger:set_process_metadata(#{a => 1}),
                     logger:update_process_metadata(#{b => 2}),
                     logger:get_process_metadata()]),
    logger:error("with", #{c => 3}),
    next("merged"),
    show("primary", logger:update_primary_config(#{metadata => #{everywhere => yes, a => 0}})),
    logger:error("with"),
    next("merged"),
    show("unset", [logger:unset_process_metadata(), logger:update_primary_config(#{metadata => #{}}),
                   logger:get_process_metadata()]),
    logger:macro_log(#{mfa => {m, f, 1}, line => 3, file => "x"}, error, "by hand"),
    next("location"),
    show("timestamp", is_integer(logger:timestamp())).

%% What processes report that end by an error.
crashes() ->
    process_flag(trap_exit, true),
    spawn(fun() -> error(in_a_process) end),
    next("process"),
    spawn(fun() -> throw(a_ball) end),
    next("throw"),
    proc_lib:spawn(fun() -> error(in_proc_lib) end),
    next("proc_lib"),
    proc_lib:spawn(fun() -> exit(shutdown) end),
    {ok, Server} = gen_server:start(?MODULE, state, []),
    catch gen_server:call(Server, crash),
    next("gen_server"),
    next("and its proc_lib"),
    {ok, Sup} = supervisor:start_link(?MODULE, {supervisor, {gen_server, start_link, [?MODULE, state, []]}}),
    [{_, Child, _, _}] = supervisor:which_children(Sup),
    exit(Child, kill),
    next("supervisor"),
    wait(fun() -> [{_, New, _, _}] = supervisor:which_children(Sup), New =/= Child andalso is_pid(New) end),
    Bad = supervisor:start_link(?MODULE, {supervisor, {?MODULE, no_such_function, []}}),
    show("start error", element(1, Bad)),
    next("start error"),
    exit(Sup, shutdown),
    logger:set_primary_config(level, info),
    {ok, Two} = supervisor:start_link(?MODULE, {supervisor, {gen_server, start_link, [?MODULE, state, []]}}),
    next("progress"),
    logger:set_primary_config(level, notice),
    exit(Two, shutdown),
    _ = timer:sleep(0).

wait(Fun) ->
    case Fun() of
        true -> ok;
        false -> timer:sleep(5), wait(Fun)
    end.

init({supervisor, Start}) -> {ok, {#{intensity => 3}, [#{id => child, start => Start}]}};
init(X) -> {ok, X}.
handle_call(crash, _, _) -> error(asked_to);
handle_call(X, _, S) -> {ok, {called, X}, S}.
handle_cast(_, S) -> {noreply, S}.

folder() ->
    Folder = filename:join(os:getenv("TMPDIR", "/tmp"), "viv_loggers_" ++ os:getpid()),
    ok = filelib:ensure_dir(filename:join(Folder, "x")),
    Folder.

files() ->
    Folder = folder(),
    File = filename:join(Folder, "log"),
    Format = {logger_formatter, #{template => [level, " ", msg, "\n"]}},
    show("file", logger:add_handler(to_file, logger_std_h, #{config => #{file => File, max_no_bytes => 300,
            max_no_files => 2}, formatter => Format})),
    {ok, #{config := Config}} = logger:get_handler_config(to_file),
    show("config", maps:remove(file, Config)),
    [logger:error("line ~p with ~ts", [N, [955]]) || N <- lists:seq(1, 20)],
    show("sync", logger_std_h:filesync(to_file)),
    show("files", lists:sort(filelib:wildcard("*", Folder))),
    show("content", file:read_file(File)),
    show("rotated", file:read_file(File ++ ".0")),
    show("change", logger:update_handler_config(to_file, config, #{max_no_files => 5})),
    show("not this", element(1, logger:update_handler_config(to_file, config, #{file => "other"}))),
    show("no such folder", element(1, logger:add_handler(bad, logger_std_h, #{config => #{file => File ++ "/x/y"}}))),
    show("bad", logger:add_handler(bad, logger_std_h, #{config => #{type => paper}})),
    show("remove", logger:remove_handler(to_file)),
    drain(),
    ok = file:del_dir_r(Folder).

disk_logs() ->
    Folder = folder(),
    File = filename:join(Folder, "wrap"),
    show("disk_log", logger:add_handler(on_disk, logger_disk_log_h, #{config => #{file => File, type => wrap,
            max_no_bytes => 1000,
        max_no_files => 2}, formatter => {logger_formatter, #{template => [msg, "\n"]}}})),
    [logger:error("entry ~p", [N]) || N <- lists:seq(1, 5)],
    show("sync", logger_disk_log_h:filesync(on_disk)),
    show("content", file:read_file(File ++ ".1")),
    show("remove", logger:remove_handler(on_disk)),
    drain(),
    ok = file:del_dir_r(Folder).

drain() -> receive {mine, _} -> drain() after 0 -> ok end.

formats() ->
    Event = #{level => error, msg => {"a ~p~nb", [<<"x">>]}, meta => #{time => 0, pid => self(), mfa => {m, f, 2},
            k => #{z => 1}}},
    [show("formatted", unicode:characters_to_list(logger_formatter:format(E, C)))
     || E <- [Event#{meta := maps:remove(pid, maps:get(meta, Event))}, Event#{msg := {string, "plain"}},
              Event#{msg := {report, #{a => [1], b => "s"}}}],
        C <- [#{template => [level, ":", mfa, " ", [k, z], " ", {k, ["k=", k], []}, {none, ["n"], ["-"]}, " ", msg]},
              #{template => [msg], single_line => true}, #{template => [msg], single_line => false, max_size => 4},
              #{template => [msg], depth => 2, chars_limit => 20}, #{time_offset => "Z", template => [time, " ",
                      msg]},
              #{legacy_header => true, time_offset => "Z", single_line => false}]],
    show("config", [logger_formatter:check_config(C) || C <- [#{}, #{single_line => 1}, #{template => x},
                                                              #{nothing => 1}]]).

%% The old interface, with a handler of its own as well.
error_logger() ->
    error_logger:error_msg("old ~p", [1]),
    next("error_msg"),
    error_logger:info_report([{a, 1}]),
    next("info_report"),
    error_logger:warning_report(my_type, "w"),
    next("warning_report"),
    error_logger:error_report("string"),
    next("error_report"),
    show("warning map", error_logger:warning_map()),
    show("add", error_logger:add_report_handler(?MODULE, self())),
    logger:error("to both ~p", [1]),
    next("new"),
    receive {old, Old} -> show("old", plain(Old)) after 60000 -> show("old", none) end,
    show("handlers", {lists:sort(logger:get_handler_ids()), error_logger:which_report_handlers()}),
    show("delete", error_logger:delete_report_handler(?MODULE)),
    show("tty", [error_logger:tty(false), error_logger:logfile(filename)]).

handle_event(Event, Pid) -> Pid ! {old, Event}, {ok, Pid}.

mistakes() ->
    show("bad", [logger:set_primary_config(level, loud), logger:set_primary_config(colour, red),
                 logger:set_primary_config(x),
                 logger:set_handler_config(none, level, error), logger:remove_handler(none),
                     logger:remove_handler_filter(mine, none),
                 logger:set_module_level(x, loud), logger:set_handler_config(mine, #{id => other}),
                 logger:update_formatter_config(mine, x), logger:get_handler_config(none)]).

%% Many at once.
many() ->
    Pids = [spawn(fun() -> [logger:error("~p ~p", [N, M]) || M <- lists:seq(1, 20)], exit(done) end)
            || N <- lists:seq(1, 50)],
    [begin Ref = monitor(process, P), receive {'DOWN', Ref, _, _, _} -> ok end end || P <- Pids],
    show("events", length([x || _ <- Pids, _ <- lists:seq(1, 20), receive {mine, _} -> true after 0 -> false end])),
    show("remove", logger:remove_handler(mine)).
