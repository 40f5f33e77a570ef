%% A driver's queue takes the room of what is in it, whichever end it is written at: with each push on an empty one it
%% took twice as much.
-module(r_port_queue_room).
-export([main/0]).

main() ->
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    Rooms = [{How, room(How)} || How <- ["p", "e", "P", "E", "pe", "ep", "PEpe"]],
    [io:format("~s: ~p~n", [How, Is]) || {How, Is} <- Rooms],
    rand:seed(exsss, 12),
    lists:all(fun({_, Is}) -> Is end, Rooms) andalso %% it would take all memory
        [io:format("~p~n", [both(Most)]) || Most <- [1, 2, 3, 5, 9, 40, 200]],
    ok.

open() -> open_port({spawn, ?MODULE_STRING}, []).

%% As often as it takes to be seen, had it doubled.
room(How) ->
    Port = open(),
    [begin
         port_command(Port, [What, "bytes"]),
         port_command(Port, "dbytes")
     end || _ <- lists:seq(1, 16), What <- How],
    {memory, Memory} = erlang:port_info(Port, memory),
    port_close(Port),
    Memory < 50000.

%% What is in it, when it is written at both ends, never more than so many times.
both(Most) ->
    Port = open(),
    Bytes = both(Port, 2000, Most, []),
    port_command(Port, "tell"),
    receive {Port, {data, Told}} -> port_close(Port), Told =:= lists:append(Bytes) end.

both(_, 0, _, Bytes) -> Bytes;
both(Port, Times, Most, Bytes) when length(Bytes) >= Most ->
    [First | Rest] = Bytes,
    port_command(Port, [$d, First]),
    both(Port, Times, Most, Rest);
both(Port, Times, Most, Bytes) ->
    New = integer_to_list(Times),
    Now = case rand:uniform(5) of
              1 -> port_command(Port, [$p, New]), [New | Bytes];
              2 -> port_command(Port, [$e, New]), Bytes ++ [New];
              3 -> port_command(Port, [$P, New]), [New | Bytes];
              4 -> port_command(Port, [$E, New]), Bytes ++ [New];
              5 when Bytes =:= [] -> [];
              5 -> port_command(Port, [$d, hd(Bytes)]), tl(Bytes)
          end,
    both(Port, Times - 1, Most, Now).
