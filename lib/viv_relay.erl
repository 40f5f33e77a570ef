%% Stock servers that start when they are first asked.
%%
%% A process holds a server's registered name until the first message comes, or until viv_code opens it. A gen_server it
%% then becomes itself. For another server it lends the name, so that the server, its child, takes the name over in the
%% moment in which it registers itself; then it hands on that message and all that came to it before the name went. So
%% the name is never free. Who monitors the relay by the name does no harm, as it lives as long as the server.
-module(viv_relay).
-export([start/2, become/3, open/1, stop/1]).
-export([lend_name/0]).
-export([init/1]).

lend_name() -> erlang:nif_error(undef). % a child of the caller that registers the caller's name takes it over

%% Start() -> {ok, Pid} | {ok, Pid, Ended} is called in the relay, which becomes the server's parent; Ended(Reason) is
%% called when the server ends. -> the relay's pid.
start(Name, Start) ->
    hold(Name, fun(First) ->
                       lend_name(),
                       {Server, Ended} = case Start() of
                                             {ok, Pid} -> {Pid, fun(_) -> ok end};
                                             {ok, Pid, Fun} -> {Pid, Fun}
                                         end,
                       pass_on(First, Server, Ended)
               end).

%% Init() answers as the init/1 of Module, a gen_server, does.
become(Name, Module, Init) ->
    Parent = self(),
    hold(Name, fun(First) ->
                       put('$ancestors', [Parent]),
                       put('$initial_call', {Module, init, 1}),
                       State = case Init() of
                                   {ok, New} -> New;
                                   {ok, New, _} -> New % a timeout or hibernate: there is a message already
                               end,
                       _ = First =:= {?MODULE, open} orelse (self() ! First),
                       gen_server:enter_loop(Module, [], State, {local, Name})
               end).

%% Starts the server, if it has not started.
open(Relay) -> Relay ! {?MODULE, open}.

%% Asks the server to shut down, as its parent; the answer {Relay, stopped} comes when it has.
stop(Relay) -> Relay ! {?MODULE, stop, self()}.

hold(Name, Asked) ->
    Parent = self(),
    Pid = spawn(fun() ->
                        process_flag(trap_exit, true),
                        register(Name, self()),
                        Parent ! {self(), ready},
                        wait(Asked)
                end),
    receive {Pid, ready} -> Pid end.

wait(Asked) ->
    receive
        {?MODULE, stop, From} ->
            From ! {self(), stopped},
            wait(Asked);
        First ->
            Asked(First)
    end.

pass_on({'EXIT', Server, Reason}, Server, Ended) ->
    _ = Ended(Reason),
    exit(Reason);
pass_on({?MODULE, stop, From}, Server, _) ->
    exit(Server, shutdown),
    receive {'EXIT', Server, _} -> ok end,
    From ! {self(), stopped};
pass_on(Message, Server, Ended) ->
    _ = Message =:= {?MODULE, open} orelse (Server ! Message),
    receive Next -> pass_on(Next, Server, Ended) end.

%% The supervisor callback of kernel_sup, kernel_safe_sup and the application: what is to run below is started by who
%% wants it.
init([]) -> {ok, {#{strategy => one_for_one}, []}}.
