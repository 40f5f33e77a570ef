%% Stock servers that start when they are first asked.
%%
%% A relay holds a server's registered name until the first message comes. It then gives the name up, starts the server
%% (which registers it), hands on that message, and all that still come to the relay. Who monitors the relay by its
%% name does no harm: it lives as long as the server.
-module(viv_relay).
-export([start/2]).

%% Start() -> {ok, Pid}, called in the relay, which is the server's parent.
start(Name, Start) ->
    Parent = self(),
    Relay = spawn(fun() ->
                          process_flag(trap_exit, true),
                          register(Name, self()),
                          Parent ! {self(), ready},
                          receive First -> first(Name, Start, First) end
                  end),
    receive {Relay, ready} -> Relay end.

first(Name, Start, First) ->
    unregister(Name),
    {ok, Server} = Start(),
    Server ! First,
    pass_on(Server).

pass_on(Server) ->
    receive
        {'EXIT', Server, Reason} -> exit(Reason);
        Message ->
            Server ! Message,
            pass_on(Server)
    end.
