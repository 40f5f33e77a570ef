%% What drivers may ask of the runtime, the rest: queues, vectors, other threads, limits, the system, ports' data.
-module(port_driver_more).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    ok = erl_ddll:load(os:getenv("NIF_LIBRARIES"), "port_driver_more"),
    controls(),
    vectors(),
    jobs(),
    flushed(),
    drivers(),
    late(),
    data(),
    connected(),
    show(erl_ddll:unload("port_driver_more")).

open(Options) -> open_port({spawn_driver, "port_driver_more"}, Options).
show(Term) -> io:format("~p~n", [shown(Term)]).
shown(Port) when is_port(Port) -> port;
shown(Pid) when Pid =:= self() -> self;
shown([Head | Tail]) -> [shown(Head) | shown(Tail)];
shown(Tuple) when is_tuple(Tuple) -> list_to_tuple(shown(tuple_to_list(Tuple)));
shown(Other) -> Other.
reason(F) -> try F() catch error:Reason -> {error, Reason} end.
come() -> receive Message -> Message after 60000 -> nothing end.
nothing() -> receive Message -> Message after 50 -> nothing end.
close(Port) -> port_close(Port), receive {'EXIT', Port, Reason} -> Reason after 60000 -> nothing end.

controls() ->
    P = open([binary]),
    show([port_control(P, $q, []), port_control(P, $L, [])]),
    [show(list_to_binary(port_control(P, Command, []))) || Command <- "lf"],
    show([list_to_binary(port_control(P, $t, [])), come()]),
    show(os:getenv("PORT_DRIVER_MORE")),
    show(close(P)),
    show([begin Q = open(Options), Flags = port_control(Q, $F, []), close(Q), Flags end
          || Options <- [[], [binary], [{line, 10}], [binary, {line, 10}]]]).

vectors() ->
    [vector(Options, Data)
     || Options <- [[binary]],
        Data <- ["abcdef", ["abc", <<"def">>], [<<"abc">>, binary:copy(<<"x">>, 300), "end"]]].

vector(Options, Data) ->
    P = open(Options),
    true = port_command(P, Data),
    show([come() || _ <- lists:seq(1, 4)] ++ [erlang:port_info(P, queue_size)]),
    unlink(P),
    port_close(P),
    gone(P).

%% The rest of the queue goes byte by byte.
gone(P) ->
    receive {'EXIT', P, _} -> gone(P); {P, _} -> gone(P); {flush, _} -> gone(P)
    after 20 ->
        case lists:member(P, erlang:ports()) of
            true -> gone(P);
            false -> nothing
        end
    end.

jobs() ->
    P = open([]),
    port_control(P, $a, []),
    show(lists:sort([come() || _ <- lists:seq(1, 4)])),
    port_control(P, $A, []),
    show([close(P), nothing()]).

flushed() ->
    P = open([]),
    port_control(P, $k, []),
    show([erlang:port_info(P, queue_size), close(P), lists:member(P, erlang:ports()), [Item || {Item, _} <- erlang:port_info(P)], nothing()]),
    show([reason(fun() -> port_control(P, $F, []) end), reason(fun() -> port_command(P, "x") end)]).

drivers() ->
    P = open([]),
    show([port_control(P, $-, []), port_control(P, $+, [])]),
    Q = open_port({spawn_driver, "port_driver_added"}, []),
    show([port_control(Q, 1, []), close(Q), nothing(), port_control(P, $-, [])]),
    show([reason(fun() -> open_port({spawn_driver, "port_driver_added"}, []) end), close(P)]).

late() ->
    P = open([]),
    port_control(P, $+, "late"),
    [show(late(Kind)) || Kind <- ["later", "badly"]],
    show([port_control(P, $-, "late"), close(P)]).

late(Kind) ->
    case reason(fun() -> open_port({spawn_driver, "port_driver_late " ++ Kind}, []) end) of
        Port when is_port(Port) -> [Kind, port_control(Port, 1, []), close(Port)];
        Error -> [Kind, Error]
    end.

data() ->
    P = open([]),
    register(with_data, P),
    Term = {a, [1.0, "b", <<1:100/unit:8>>], #{x => fun lists:map/2}},
    show([erlang:port_get_data(P), erlang:port_set_data(P, Term), erlang:port_get_data(with_data) =:= Term,
          erlang:port_set_data(with_data, badarg), erlang:port_get_data(P)]),
    close(P),
    show([reason(F) || F <- [fun() -> erlang:port_get_data(P) end, fun() -> erlang:port_set_data(P, 1) end,
                             fun() -> erlang:port_get_data(self()) end, fun() -> erlang:port_set_data(with_data, 1) end]]).

%% The new owner is linked by the function, not by a message.
connected() ->
    [begin
         P = open([]),
         Owner = spawn(fun() -> receive stop -> ok end end),
         Change(P, Owner),
         {links, Links} = erlang:port_info(P, links),
         show([lists:member(Owner, Links), lists:member(self(), Links), erlang:port_info(P, connected) =:= {connected, Owner}]),
         Owner ! stop,
         show([nothing(), nothing()]),
         catch port_close(P),
         gone(P)
     end || Change <- [fun erlang:port_connect/2,
                       fun(P, Owner) -> P ! {self(), {connect, Owner}}, receive {P, connected} -> ok end end]].
