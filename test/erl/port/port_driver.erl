%% What drivers may ask of the runtime, and what port_control and port_call bring.
-module(port_driver).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), "port_driver"),
    started(),
    controls(),
    calls(),
    terms(),
    timers(),
    monitors(),
    created(),
    ends(),
    io:format("~p~n", [erl_ddll:unload_driver("port_driver")]).

open() -> open("port_driver").
open(Command) -> open_port({spawn_driver, Command}, [binary]).

%% Ports stand as `port`, the process itself as `self`.
show(Term) -> io:format("~p~n", [shown(Term)]).
shown(Port) when is_port(Port) -> port;
shown(Pid) when Pid =:= self() -> self;
shown([Head | Tail]) -> [shown(Head) | shown(Tail)];
shown(Tuple) when is_tuple(Tuple) -> list_to_tuple(shown(tuple_to_list(Tuple)));
shown(Other) -> Other.

reason(F) -> try F() catch error:Reason -> {error, Reason} end.
come() -> receive Message -> Message after 60000 -> nothing end.
nothing() -> receive Message -> Message after 50 -> nothing end.

started() ->
    [show({Argument, reason(fun() -> port_close(open("port_driver " ++ Argument)) end)})
     || Argument <- ["", "general", "errno", "badarg", "x y"]],
    [show({Option, reason(fun() -> port_close(open_port({spawn_driver, "port_driver"}, [Option])) end)})
     || Option <- [{busy_limits_port, {1, 2}}, {busy_limits_msgq, {1, 1 bsl 64 - 2}}, {busy_limits_msgq, {1, 1 bsl 64 - 1}}]],
    [show({Name, reason(fun() -> port_close(open(Name)) end)}) || Name <- ["port_driver1", " port_driver", "port"]],
    [show(come()) || _ <- lists:seq(1, 3)],
    Early = open("port_driver early"),
    show([come(), come(), erlang:port_info(Early, name), erlang:port_info(Early, monitors), erlang:port_info(Early, connected)]),
    unlink(Early),
    port_close(Early),
    Port = open_port({spawn, "port_driver"}, []),
    show([erlang:port_info(Port, name), port_command(Port, "abc"), come(), port_close(Port), come()]).

controls() ->
    P = open(),
    show([reason(fun() -> port_control(P, Command, Data) end)
          || {Command, Data} <- [{$e, "abc"}, {$e, ["a", <<"b">>, [[]]]}, {$e, []}, {$b, "abc"}, {$b, []}, {$b, <<"xy">>},
                                 {$B, []}, {$l, []}, {$S, []}, {$n, []}, {$z, []}, {$b, []}, {$n, []}, {$r, []}, {$C, []},
                                 {0, []}, {-1, []}, {16#ffffffff, []}, {16#100000000, []}, {x, []}, {$e, [300]},
                                 {$e, x}, {$e, <<1:1>>}]]),
    show(iolist_size(port_control(P, $R, []))),
    show(length([port_control(P, $B, lists:duplicate(N, $x)) || N <- lists:seq(1, 1000)])),
    register(a_driver, P),
    show(port_control(a_driver, $e, "by name")),
    Self = self(),
    spawn_link(fun() -> Self ! {other, port_control(P, $C, [])} end),
    show(receive {other, Result} -> Result end),
    receive {'EXIT', _, normal} -> ok end,
    port_close(P),
    receive {'EXIT', P, normal} -> ok end,
    show([reason(fun() -> port_control(Q, $e, []) end) || Q <- [P, a_driver, self(), 17]]),
    show([reason(fun() -> erlang:port_call(Q, 1, []) end) || Q <- [P, a_driver, self(), 17]]).

calls() ->
    P = open(),
    show([reason(fun() -> erlang:port_call(P, Command, Term) end)
          || Command <- [0, 1, 2, 3, -1, 16#100000000], Term <- [x, {1, [2.5, "abc"], <<"bin">>}]]),
    Large = lists:seq(1, 10000),
    show(erlang:port_call(P, 3, Large) =:= Large),
    show(erlang:port_call(P, 3, {P, self(), #{a => b}}) =:= {P, self(), #{a => b}}),
    port_close(P),
    receive {'EXIT', P, normal} -> ok end.

terms() ->
    P = open(),
    show([port_control(P, $t, []), come()]),
    show([port_control(P, $k, []), come()]),
    show([list_to_binary(port_control(P, $x, [])), nothing()]),
    Self = self(),
    spawn_link(fun() -> Self ! {other, port_control(P, $t, []), come()} end),
    show(come()),
    receive {'EXIT', _, normal} -> ok end,
    port_close(P),
    receive {'EXIT', P, normal} -> ok end.

timers() ->
    P = open(),
    show([port_control(P, $T, []), come(), nothing()]),
    port_control(P, $T, []),
    port_close(P),
    show([its_end(P), nothing()]).

%% The time may be over before it is closed.
its_end(P) -> receive {timeout, P} -> its_end(P); {'EXIT', P, _} = End -> End end.

monitors() ->
    P = open(),
    Self = self(),
    Child = spawn(fun() ->
                          Self ! {results, port_control(P, $m, []), erlang:port_info(P, monitors) =:= {monitors, [{process, self()}]},
                                  process_info(self(), monitored_by) =:= {monitored_by, [P]}},
                          receive stop -> ok end
                  end),
    show(come()),
    Child ! stop,
    {process_exit, Is, Child} = come(),
    show([Is, nothing(), erlang:port_info(P, monitors)]),
    show(port_control(P, $m, [])),
    port_close(P),
    {monitored_by, Others} = process_info(self(), monitored_by),
    show([come(), [Q || Q <- Others, is_port(Q)]]).

created() ->
    P = open(),
    port_control(P, $c, []),
    {created, New} = come(),
    show([come(), erlang:port_info(New, name), erlang:port_info(New, links), erlang:port_info(New, connected), erlang:port_info(New, monitors),
          New =/= P, port_control(New, $e, "it works")]),
    show([port_command(New, "abc"), come()]),
    port_close(P),
    show(come()),
    show(port_control(New, $e, "still")),
    port_close(New),
    show(come()).

ends() ->
    [begin P = open(), show([port_control(P, Command, []), come(), nothing()]) end || Command <- "qpioE"],
    P = open_port({spawn_driver, "port_driver"}, [eof]),
    show([port_control(P, $E, []), come(), nothing()]),
    port_close(P),
    show(come()).
