%% The process `logger`. At first it only prints what the runtime reports (crashes) on standard error, by the stock
%% logger_formatter where it can be found. When a program first needs the stock `logger` (viv_code's gate), or calls
%% this process, it becomes the stock logger_server, with the stock's default handler on standard error.
-module(viv_logger).
-export([start/0, sync/0]).

start() ->
    Parent = self(),
    Pid = spawn(fun() ->
                        register(logger, self()),
                        Parent ! {self(), ready},
                        loop(Parent)
                end),
    receive {Pid, ready} -> Pid end.

%% Waits until what was logged before is printed.
sync() ->
    case whereis(logger) of
        undefined ->
            ok;
        Pid ->
            wait_for(Pid, fun(Ref) -> Pid ! {system, {self(), Ref}, {?MODULE, sync}} end),
            case erlang:module_loaded(logger_config) of
                true -> sync_handlers();
                false -> ok
            end
    end.

%% The logger has taken the reports; they go on through its proxy to the handlers.
sync_handlers() ->
    case whereis(logger_proxy) of
        undefined -> ok;
        Proxy -> wait_for(Proxy, fun(Ref) -> Proxy ! {system, {self(), Ref}, {?MODULE, sync}} end)
    end,
    [try Module:filesync(Id)
     catch _:_ -> ok
     end || #{id := Id, module := Module} <- handlers(), erlang:function_exported(Module, filesync, 1)],
    ok.

handlers() ->
    try logger:get_handler_config()
    catch _:_ -> []
    end.

%% Any answer to Ref, or the process's end.
wait_for(Pid, Ask) ->
    Ref = monitor(process, Pid),
    _ = Ask(Ref),
    receive
        {Ref, _} -> demonitor(Ref, [flush]), ok;
        {'DOWN', Ref, _, _, _} -> ok
    end.

loop(Parent) ->
    receive
        {log, Level, Format, Args, Meta} -> print(#{level => Level, msg => {Format, Args}, meta => Meta});
        {log, Level, {string, String}, Meta} -> print(#{level => Level, msg => {string, String}, meta => Meta});
        {log, Level, Report, Meta} -> print(#{level => Level, msg => {report, Report}, meta => Meta});
        {system, {From, Ref}, _} -> From ! {Ref, done};
        {viv_relay, open} -> become_stock(Parent);
        {'$gen_call', _, _} = Call -> self() ! Call, become_stock(Parent);
        _ -> ok
    end,
    loop(Parent).

print(Event0) ->
    Event = with_time(Event0),
    %% What it would ask the application controller for.
    Config = (formatter_config())#{depth => unlimited, time_offset => ""},
    Text = try
               unicode:characters_to_binary(logger_formatter:format(Event, Config))
           catch
               _:_ -> plain(Event)
           end,
    _ = viv_io:write_all(2, Text),
    ok.

formatter_config() -> #{legacy_header => true, single_line => false}.

with_time(#{meta := #{time := _}} = Event) -> Event;
with_time(#{meta := Meta} = Event) -> Event#{meta := Meta#{time => os:system_time(microsecond)}}.

%% Without libraries.
plain(#{msg := Message, level := Level}) ->
    <<"=", (viv_io:format_term(Level))/binary, "=\n", (viv_io:format_term(Message))/binary, "\n">>.

%% From here on it is the stock server. What reports a progress meanwhile finds that no `logger` is loaded
%% (error_handler), so no part of the start depends on it; other processes that want to log wait at the gate.
-spec become_stock(pid()) -> no_return().
become_stock(Parent) ->
    put('$ancestors', [Parent]),
    put('$initial_call', {logger_server, init, 1}),
    viv_code:preload([logger_server, logger_config, logger_simple_h]),
    {ok, State} = logger_server:init([]),
    drop_simple_handler(),
    Default = helped(fun start_default_handler/0),
    true = logger_config:create(logger, default, Default),
    {ok, Primary} = logger_config:get(logger, primary),
    ok = logger_config:set(logger, primary, Primary#{handlers => [default]}),
    viv_code:opened(logger),
    {ok, _, _} = helped(fun() -> supervisor:start_child(logger_sup, logger_proxy:child_spec()) end),
    gen_server:enter_loop(logger_server, [], State, {local, logger}).

%% The handler that the stock runtime logs with while it boots.
drop_simple_handler() ->
    Simple = whereis(logger_simple_h),
    unlink(Simple),
    exit(Simple, kill),
    true = logger_config:delete(logger, simple).

%% The result of Fun in a process of its own: this one must not answer to what the supervisors send.
helped(Fun) ->
    {Pid, Ref} = spawn_monitor(fun() -> exit({helped, Fun()}) end),
    receive
        {'DOWN', Ref, process, Pid, {helped, Result}} -> Result;
        {'DOWN', Ref, process, Pid, Reason} -> exit(Reason)
    end.

%% As the stock runtime's kernel application configures it, but on standard error.
start_default_handler() ->
    {ok, _} = supervisor:start_child(kernel_sup, #{id => logger_sup, type => supervisor, shutdown => infinity,
                                                   modules => [logger_sup], start => {supervisor, start_link,
                                                   [{local, logger_sup}, viv_relay, []]}}),
    {ok, _} = supervisor:start_child(logger_sup, #{id => logger_handler_watcher, shutdown => brutal_kill,
                                                   start => {logger_handler_watcher, start_link, []}}),
    Filters = [{remote_gl, {fun logger_filters:remote_gl/2, stop}},
               {domain, {fun logger_filters:domain/2, {log, super, [otp, sasl]}}},
               {no_domain, {fun logger_filters:domain/2, {log, undefined, []}}}],
    Wanted = #{id => default, module => logger_std_h, level => all, filter_default => stop, filters => Filters,
               formatter => {logger_formatter, formatter_config()}, config => #{type => standard_error}},
    {ok, Handler} = logger_std_h:adding_handler(Wanted),
    Handler.
