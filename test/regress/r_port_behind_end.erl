%% Behind the end of a port, as on the stock runtime: to link to it says that it is gone, though a link to it is still
%% held; its term can be set and read as long as it does not know of its end; who has it closed by a message hears that
%% it is closed before what he asked of it afterwards is refused; and what a port told that was closed by a function is
%% there when that returns.
%% Not under torture, give_away: the port is to be left alone until the slice is over.
-module(r_port_behind_end).
-export([main/0]).
-include("../erl/heard.hrl").

main() ->
    process_flag(trap_exit, true),
    _ = erlang:system_flag(schedulers_online, 1),
    [io:format("~p ~p~n", [End, linked(End, Heard)])
     || {End, Heard} <- [{close, 3}, {port_close, 2}, {kill, 2}, {why, 2}]],
    [io:format("~p ~p~n", [End, term(End, Heard)]) || {End, Heard} <- [{close, 2}, {kill, 1}, {why, 1}]],
    [io:format("~p ~p~n", [Asked, refused(Asked, Heard)]) || {Asked, Heard} <- [{link, 2}, {monitor, 2}, {both, 3}]],
    io:format("~p~n", [unlinked()]),
    io:format("~p~n", [terms()]).

open(Parallel) -> open_port({spawn_driver, "ram_file_drv"}, [binary, {parallelism, Parallel}]).

ends(Port, close) -> Port ! {self(), close};
ends(Port, port_close) -> port_close(Port);
ends(Port, Reason) -> exit(Port, Reason).

linked(End, Heard) ->
    Port = open(false),
    ends(Port, End),
    true = link(Port),
    told(Port, Heard).

term(End, Heard) ->
    Port = open(true),
    ends(Port, End),
    [erlang:port_get_data(Port), erlang:port_set_data(Port, {some, "term"}), erlang:port_get_data(Port),
     told(Port, Heard),
     try erlang:port_get_data(Port) catch error:E -> E end, try erlang:port_set_data(Port, 1) catch error:E -> E end].

refused(Asked, Heard) ->
    Port = open(true),
    unlink(Port),
    timer:sleep(10),
    Port ! {self(), close},
    Asked =/= monitor andalso link(Port),
    Asked =/= link andalso monitor(port, Port),
    told(Port, Heard).

unlinked() ->
    Port = open(false),
    true = port_close(Port),
    unlink(Port),
    told(Port, 1).

%% Many set and read it at once.
terms() ->
    Port = open(false),
    erlang:port_set_data(Port, lists:duplicate(10, 0)),
    Ones = [spawn_monitor(fun() -> set_and_read(Port, N, 2000) end) || N <- lists:seq(1, 4)],
    Ends = [receive {'DOWN', Ref, process, _, Reason} -> Reason end || {_, Ref} <- Ones],
    port_close(Port),
    lists:usort(Ends).

set_and_read(_, _, 0) -> ok;
set_and_read(Port, N, Times) ->
    erlang:port_set_data(Port, lists:duplicate(10, N)),
    10 = length(L = erlang:port_get_data(Port)),
    [_] = lists:usort(L),
    set_and_read(Port, N, Times - 1).

told(Port, N) -> heard(N, 50, fun(Wait) -> next(Port, Wait) end).

next(Port, Wait) ->
    receive
        {'EXIT', Port, How} -> [{exit, How}];
        {'DOWN', _, port, Port, How} -> [{down, How}];
        {Port, closed} -> [closed]
    after Wait -> []
    end.
