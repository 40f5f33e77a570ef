%% viv watch, on the client's side: figures of a node as a page that the browser keeps up to date, for Prometheus, or as
%% lines of JSON.
%%
%% The page comes from a server of this program's own on 127.0.0.1 (viv_see_http): /, /figures?from=N and /metrics.
-module(viv_see_watching).
-export([run/1, help/0, options/0, point/2]).

-record(s, {conversation, facts, kind, kept = [], count = 0, previous = none}).
-define(INTERVAL, 1000).
-define(KEPT, 3600). % points

help() ->
    "usage: viv watch TARGET [options]\n"
    "\n"
    "A running node, live: how busy its schedulers are, its memory by class, queues, rates, and how long a process\n"
    "waits for its turn. Prints the address of a page, for a browser on this machine; the same address with /metrics\n"
    "is for Prometheus. TARGET is a process number of this machine (`viv nodes` lists them) or NAME@HOST. Ends on ^C.\n"
    "\n"
    "  --port N          of the page (any that is free)\n"
    "  --interval TIME   between two looks at the node, 100ms at least (1s)\n"
    "  --json            no page: an object in each line, until ^C, or\n"
    "  --for TIME        for so long\n".

options() -> #{"--port" => count, "--interval" => time, "--json" => flag, "--for" => time}.

run(Arguments) ->
    {Options, Words} = viv_see_options:parse(Arguments, options()),
    Target = viv_see_options:target(Words),
    Interval = viv_see_options:interval(proplists:get_value("--interval", Options, ?INTERVAL)),
    Port = port(proplists:get_value("--port", Options, 0)),
    Kind = kind(proplists:is_defined("--json", Options)),
    {Conversation, Facts} = viv_see_target:open_until_interrupt(Target, {watch, #{interval => Interval}}),
    Keeper = listener(Kind, Port, Facts),
    viv_see_target:stop_after(proplists:get_value("--for", Options, infinity), Conversation),
    listen(#s{conversation = Conversation, kind = Kind}, Keeper).

port(Port) when Port < 65536 -> Port;
port(_) -> throw({usage, "--port takes a number below 65536"}).

kind(true) -> json;
kind(false) -> page.

%% The process that talks with the node waits in a native function; so another one keeps what came, and answers.
listener(json, _, _) -> none;
listener(page, Port, Facts) ->
    Keeper = spawn_link(fun() -> keep(#s{facts = Facts}) end),
    case viv_see_http:start(Port, fun(Path) -> ask(Keeper, Path) end) of
        {ok, Actual} ->
            viv_see_out:put(io_lib:format("viv watch: http://127.0.0.1:~w/~n", [Actual])),
            Keeper;
        {error, Reason} -> throw({see, io_lib:format("port ~w: ~ts", [Port, inet:format_error(Reason)])})
    end.

ask(Keeper, Path) ->
    Ref = monitor(process, Keeper),
    Keeper ! {ask, self(), Ref, Path},
    receive
        {Ref, Answer} -> demonitor(Ref, [flush]), Answer;
        {'DOWN', Ref, _, _, _} -> none
    end.

keep(S = #s{kept = Kept, count = Count}) ->
    receive
        {point, Point} -> keep(S#s{kept = lists:sublist([{Count, Point} | Kept], ?KEPT), count = Count + 1});
        {ask, From, Ref, Path} ->
            From ! {Ref, answer(Path, S)},
            keep(S)
    end.

answer(<<"/">>, _) -> {<<"text/html; charset=utf-8">>, viv_code:held_file('see/watch.html')};
answer(<<"/figures?from=", Number/binary>>, #s{kept = Kept, count = Count, facts = #{node := Node, otp := Otp}}) ->
    try binary_to_integer(Number) of
        From ->
            Points = lists:reverse([Point || {_, Point} <- lists:takewhile(fun({N, _}) -> N >= From end, Kept)]),
            {<<"application/json">>, viv_json:encode(#{node => Node, otp => unicode:characters_to_binary(Otp),
                                                       next => Count, points => Points})}
    catch error:badarg -> none
    end;
answer(<<"/metrics">>, #s{kept = [{_, Point} | _]}) -> {<<"text/plain; version=0.0.4">>, metrics(Point)};
answer(<<"/metrics">>, _) -> {<<"text/plain; version=0.0.4">>, <<>>};
answer(_, _) -> none.

%% --- what comes -----------------------------------------------------------------------------------------------------

listen(S = #s{conversation = Conversation, previous = Previous}, Keeper) ->
    case viv_see_target:hear(Conversation) of
        {{figures, Figures}, Next} ->
            _ = Previous =:= none orelse tell(S, Keeper, point(Previous, Figures)),
            listen(S#s{conversation = Next, previous = Figures}, Keeper);
        {{'end', {error, Text}, _}, _} -> throw({see, Text});
        {{'end', _, _}, _} -> throw({exit, 0})
    end.

tell(#s{kind = json}, _, Point) -> viv_see_out:put([viv_json:encode(Point), $\n]);
tell(_, Keeper, Point) -> Keeper ! {point, Point}.

%% What happened between two looks, by the second, and what is now. The time of day may be set meanwhile, the time since
%% the start is not.
-spec point(map(), map()) -> map().
point(#{up := Before} = Old, #{up := Up, time := Now, memory := Memory} = New) ->
    Seconds = max(1, Up - Before) / 1000,
    Rates = maps:from_list([{Name, rate(Name, Old, New, Seconds)} || Name <- rates()]),
    Levels = maps:with([up, run_queue, processes, ports, tables, atoms, online], New),
    #{turns := Turns, waited_us := Waited, longest_us := Longest} = New,
    #{time => Now, memory => maps:from_list(Memory), levels => Levels, rates => Rates,
      totals => maps:with(rates(), New),
      schedulers => busy(maps:get(schedulers, Old), maps:get(schedulers, New)),
      wait => #{mean_us => Waited / max(1, Turns), longest_us => Longest}}.

rates() -> [cpu_ms, reductions, switches, collections, reclaimed, input, output].

rate(Name, Old, New, Seconds) -> max(0, maps:get(Name, New) - maps:get(Name, Old)) / Seconds.

%% The share of the time that each of them worked.
busy(Old, New) ->
    [#{kind => Kind, number => Number, busy => share(Active, Total, lists:keyfind(Number, 2, Old))}
     || {Kind, Number, Active, Total} <- New].

share(Active, Total, {_, _, ActiveBefore, TotalBefore}) when Total > TotalBefore ->
    min(1.0, max(0.0, (Active - ActiveBefore) / (Total - TotalBefore)));
share(_, _, _) -> 0.0.

%% --- for Prometheus (its text format, 0.0.4) ------------------------------------------------------------------------

metrics(#{memory := Memory, levels := Levels, rates := Rates, totals := Totals, schedulers := Schedulers,
          wait := Wait}) ->
    [metric("viv_memory_bytes", "Memory by class", [{["class=\"", atom_to_list(Class), "\""], Bytes}
                                                    || {Class, Bytes} <- lists:sort(maps:to_list(Memory))]),
     metric("viv_scheduler_busy_ratio", "Share of the time that a scheduler worked",
            [{io_lib:format("kind=\"~w\",number=\"~w\"", [Kind, Number]), Busy}
             || #{kind := Kind, number := Number, busy := Busy} <- Schedulers]),
     [metric(["viv_", atom_to_list(Name)], level(Name), [{"", Value}])
      || {Name, Value} <- lists:sort(maps:to_list(Levels))],
     [metric(["viv_", atom_to_list(Name), "_per_second"], per_second(Name), [{"", Value}])
      || {Name, Value} <- lists:sort(maps:to_list(Rates))],
     [total(Name, Value) || {Name, Value} <- lists:sort(maps:to_list(Totals))],
     [metric(["viv_turn_wait_", atom_to_list(Name)], "Microseconds that a process waited for its turn", [{"", Value}])
      || {Name, Value} <- lists:sort(maps:to_list(Wait))]].

%% Since the node has started: what Prometheus makes rates of itself, over any time.
total(cpu_ms, Value) -> metric("viv_cpu_seconds_total", "Seconds of processor time", "counter", [{"", Value / 1000}]);
total(Name, Value) -> metric(["viv_", atom_to_list(Name), "_total"], per_second(Name), "counter", [{"", Value}]).

metric(Name, Help, Values) -> metric(Name, Help, "gauge", Values).

metric(Name, Help, Type, Values) ->
    ["# HELP ", Name, $\s, Help, "\n# TYPE ", Name, $\s, Type, $\n,
     [[Name, [[${, Label, $}] || Label =/= ""], $\s, number(Value), $\n] || {Label, Value} <- Values]].

number(Value) when is_integer(Value) -> integer_to_list(Value);
number(Value) -> io_lib:format("~.6f", [Value]).

level(up) -> "Milliseconds since the node has started";
level(run_queue) -> "Processes and ports that wait to run";
level(online) -> "Schedulers that are online";
level(Name) -> ["How many ", atom_to_list(Name), " there are"].

per_second(cpu_ms) -> "Milliseconds of processor time";
per_second(reclaimed) -> "Bytes that collections have reclaimed";
per_second(input) -> "Bytes that have come through ports";
per_second(output) -> "Bytes that have gone through ports";
per_second(switches) -> "Processes and ports scheduled";
per_second(Name) -> ["How many ", atom_to_list(Name)].
