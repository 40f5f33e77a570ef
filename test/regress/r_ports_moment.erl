%% erlang:ports/0 says which ports there were at one moment, while others open and close them.
-module(r_ports_moment).
-export([main/0]).

main() ->
    Before = lists:sort(erlang:ports()),
    Opener = spawn_link(fun() -> opens([]) end),
    [look(Opener, Before) || _ <- lists:seq(1, 300)],
    io:format("good~n").

%% What the opener has done can be undone, last first, until it is what was seen.
look(Opener, Before) ->
    Opener ! start,
    receive after 1 -> ok end,
    Seen = lists:sort(erlang:ports()),
    Opener ! {stop, self()},
    receive {Opened, Events} -> true = undone(Seen, lists:sort(Before ++ Opened), Events) end.

undone(Seen, Seen, _) -> true;
undone(_, _, []) -> false;
undone(Seen, Ports, [{open, P} | Events]) -> undone(Seen, Ports -- [P], Events);
undone(Seen, Ports, [{close, P} | Events]) -> undone(Seen, lists:sort([P | Ports]), Events).

opens(Ports) -> receive start -> opens(Ports, []) end.

opens(Ports, Events) ->
    receive
        {stop, To} -> To ! {Ports, Events}, opens(Ports)
    after 0 ->
        case length(Ports) < rand:uniform(40) of
            true ->
                P = open_port({spawn_driver, "ram_file_drv"}, []),
                opens([P | Ports], [{open, P} | Events]);
            false ->
                P = lists:nth(rand:uniform(length(Ports)), Ports),
                port_close(P),
                opens(Ports -- [P], [{close, P} | Events])
        end
    end.
