%% A driver that has ended its port in a callback was heard still, until that was over; what it told as a term in its
%% `stop` was not. A port that is closing was not asked any more while its driver had something to write.
-module(r_driver_ended).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    [io:format("ended, ~s: ~p~n", [[How], told(fun(Port) -> port_control(Port, $e, [How]) end)]) || How <- "fpex"],
    [io:format("stopped, ~s: ~p~n", [What, told(fun(Port) -> port_control(Port, $s, ""), Stop(Port) end)])
     || {What, Stop} <- [{"closed", fun(Port) -> port_close(Port) end},
                         {"killed", fun(Port) -> exit(Port, kill) end},
                         {"failed", fun(Port) -> port_control(Port, $e, "f") end}]],
    io:format("skipped: ~p~n", [told(fun(Port) -> port_control(Port, $v, ""), port_close(Port) end)]),
    io:format("closing: ~p~n", [told(fun closing/1)]).

told(F) ->
    Port = open_port({spawn_driver, ?MODULE_STRING}, []),
    Answer = F(Port),
    gone(),
    {Answer, all(Port)}.

%% Who asks the port itself hears that it has gone while its driver still says its last.
gone() ->
    case erl_ddll:info(?MODULE_STRING, port_count) of
        0 -> ok;
        _ -> timer:sleep(5), gone()
    end.

all(Port) ->
    receive
        {Port, What} -> [What | all(Port)];
        {'EXIT', Port, Why} -> [{exit, Why} | all(Port)];
        a_term -> [a_term | all(Port)]
    after 0 -> []
    end.

closing(Port) ->
    port_control(Port, $q, "queued"),
    true = port_close(Port),
    Asked = [port_control(Port, 0, ""), erlang:port_call(Port, 0, {a, term})],
    Refused = [catch port_command(Port, "x"), catch port_connect(Port, self())],
    port_control(Port, $d, ""),
    {Asked, [Reason || {'EXIT', {Reason, _}} <- Refused]}.
