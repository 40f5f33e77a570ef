%% The server of operating system signals, and its handlers.
-module(signal_server).
-export([main/0, init/1, handle_event/2, handle_call/2]).
-behaviour(gen_event).

init(To) -> {ok, To}.
handle_event(Event, To) -> To ! {event, Event}, {ok, To}.
handle_call(Request, To) -> {ok, {Request, is_pid(To)}, To}.

main() ->
    io:format("~p~n", [is_pid(whereis(erl_signal_server))]),
    io:format("~p~n", [gen_event:which_handlers(erl_signal_server)]),
    io:format("~p~n", [gen_event:add_handler(erl_signal_server, ?MODULE, self())]),
    io:format("~p~n", [lists:sort(gen_event:which_handlers(erl_signal_server))]),
    io:format("~p~n", [gen_event:call(erl_signal_server, ?MODULE, hello)]),
    io:format("~p~n", [os:set_signal(sigusr2, handle)]),
    ok.
