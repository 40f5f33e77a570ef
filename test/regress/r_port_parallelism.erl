%% The option `parallelism` had no effect: who sent a command to a port at rest waited while its driver did it.
%% Not under torture, give_away: what is sent is to be looked for in the same slice.
-module(r_port_parallelism).
-export([main/0]).

-define(OPEN_FILE, 1).

main() ->
    _ = erlang:system_flag(schedulers_online, 1),
    [io:format("~p ~p~n", [Options, told(Options)]) || Options <- [[], [{parallelism, false}], [{parallelism, true}]]].

%% The driver `ram_file_drv` answers each command at once. Is it over when the command has been sent?
told(Options) ->
    Port = open_port({spawn_driver, "ram_file_drv"}, [binary | Options]),
    Info = erlang:port_info(Port, parallelism),
    timer:sleep(1),
    Port ! {self(), {command, <<?OPEN_FILE, 3:32, "some bytes">>}},
    Then = receive {Port, {data, _}} -> answered after 0 -> on_its_way end,
    Patience = if Then =:= answered -> 300; true -> 60000 end, % it answers once
    Later = receive {Port, {data, _}} -> answered after Patience -> nothing end,
    true = port_close(Port),
    {Info, Then, Later}.
