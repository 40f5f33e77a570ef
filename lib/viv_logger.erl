%% Log events: from the runtime (messages to the process `logger`) and from the stock logger module (whose configuration
%% tables are made here, with this module as the only handler). They are printed on standard error in the form of the
%% stock default handler, by the stock logger_formatter where it can be found.
-module(viv_logger).
-export([start/0, sync/0, log/2]).

start() ->
    Parent = self(),
    Pid = spawn(fun() ->
                        register(logger, self()),
                        tables(),
                        Parent ! {self(), ready},
                        loop()
                end),
    receive {Pid, ready} -> Pid end.

%% What logger_config keeps: levels as numbers in persistent terms, the rest in a table. Only used by stock code.
tables() ->
    Handler = #{id => default, module => ?MODULE, level => all, filters => [], filter_default => log,
                formatter => {logger_formatter, formatter_config()}},
    Primary = #{level => notice, filters => [], filter_default => log, handlers => [default], metadata => #{}},
    _ = ets:new(logger, [set, public, named_table, {read_concurrency, true}, {write_concurrency, true}]),
    true = ets:insert(logger, [{'$primary_config$', Primary}, {{'$handler_config$', default}, Handler}]),
    persistent_term:put({logger_config, '$primary_config$'}, 5),
    persistent_term:put({logger_config, {'$handler_config$', default}}, 10),
    ok.

formatter_config() -> #{legacy_header => true, single_line => false}.

%% Handler callback, in the process that logs.
log(Event, _Config) ->
    logger ! {event, Event},
    ok.

%% Waits until what was logged before is printed.
sync() ->
    case whereis(logger) of
        undefined -> ok;
        Pid ->
            Ref = monitor(process, Pid),
            Pid ! {sync, self(), Ref},
            receive
                {Ref, done} -> demonitor(Ref, [flush]), ok;
                {'DOWN', Ref, _, _, _} -> ok
            end
    end.

loop() ->
    receive
        {log, Level, Format, Args, Meta} -> print(#{level => Level, msg => {Format, Args}, meta => Meta});
        {log, Level, {string, String}, Meta} -> print(#{level => Level, msg => {string, String}, meta => Meta});
        {log, Level, Report, Meta} -> print(#{level => Level, msg => {report, Report}, meta => Meta});
        {event, Event} -> print(Event);
        {sync, From, Ref} -> From ! {Ref, done};
        {'$gen_call', {From, Tag}, _} -> From ! {Tag, {error, {not_supported, logger}}};
        _ -> ok
    end,
    loop().

print(Event0) ->
    Event = with_time(Event0),
    Text = try
               unicode:characters_to_binary(logger_formatter:format(Event, formatter_config()))
           catch
               _:_ -> plain(Event)
           end,
    _ = viv_io:write_all(2, Text),
    ok.

with_time(#{meta := #{time := _}} = Event) -> Event;
with_time(#{meta := Meta} = Event) -> Event#{meta := Meta#{time => os:system_time(microsecond)}}.

%% Without libraries.
plain(#{msg := Message, level := Level}) ->
    <<"=", (atom_to_binary(Level))/binary, "=\n", (viv_io:format_term(Message))/binary, "\n">>.
