%% Who is asked something as it goes to hibernate hibernates all the same: it is applied when a message comes, and not
%% before.
-module(r_hibernate_asked).
-export([main/0, awake/0]).

main() -> io:format("~w~n", [lists:usort([asleep() || _ <- lists:seq(1, 3000)])]).

asleep() ->
    Pid = spawn(fun() -> build(10000, []), erlang:hibernate(?MODULE, awake, []) end),
    Place = place(Pid),
    Pid ! {self(), hello},
    receive {Pid, Answer} -> {Place, Answer} end.

%% As soon as it waits.
place(Pid) ->
    case process_info(Pid, [status, current_function]) of
        [{status, waiting}, {current_function, Place}] -> Place;
        _ -> erlang:yield(), place(Pid)
    end.

awake() -> receive {From, Message} -> From ! {self(), Message} end.

build(0, List) -> List;
build(N, List) -> build(N - 1, [N | List]).
