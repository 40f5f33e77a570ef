%% A library is replaced and purged while processes call it, hold its objects, get messages from its threads, and die.
%% Nothing is lost: each object that was made is destroyed, each thread ends, each instance is unloaded.
-module(nif_soak).
-export([main/0]).
-include("n.hrl").

main() ->
    t(replaced_while_used, fun() -> soak(40, 6) end),
    t(many_objects, fun many_objects/0),
    t(processes_die, fun processes_die/0).

load(N) -> nif_soaked:load(library(case N rem 2 of 0 -> "nif_soak"; 1 -> "nif_soak_2" end), self()).

replace(N) ->
    code:soft_purge(nif_soaked) orelse code:purge(nif_soaked),
    {module, nif_soaked} = code:load_file(nif_soaked),
    ok = load(N).

%% Takes the module away and waits for the counts.
finish() ->
    code:purge(nif_soaked),
    code:delete(nif_soaked),
    code:purge(nif_soaked),
    receive {last_unloaded, [Instances, Ended, Created, Destroyed, Sent, Downs]} ->
            {Instances, Ended =:= Instances, Created =:= Destroyed, Created, Sent, Downs}
    after 20000 -> nothing
    end.

stop(Users) ->
    [Pid ! stop || {Pid, _} <- Users],
    [receive {'DOWN', Ref, _, _, Why} -> Why end || {_, Ref} <- Users].

soak(Rounds, Count) ->
    replace(0),
    Users = [spawn_monitor(fun() -> use(N, []) end) || N <- lists:seq(1, Count)],
    [begin replace(N), timer:sleep(5) end || N <- lists:seq(1, Rounds)],
    Ends = stop(Users),
    {Instances, Ended, Destroyed, Created, Sent, _} = finish(),
    {lists:usort(Ends), Instances, Ended, Destroyed, Created > 100, Sent > 0}.

%% Always through the newest code; holds the last objects, from whichever instance.
use(N, Held) ->
    receive
        stop -> ok;
        {tick, _, <<B, _/binary>> = Bin} -> 100 = byte_size(Bin), <<B, B, _/binary>> = Bin, use(N, Held)
    after 0 ->
            nif_soaked:listen(),
            Object = nif_soaked:new(N, self()),
            [check_object(O, N) || O <- [Object | Held]],
            timer:sleep(1),
            use(N, lists:sublist([Object | Held], 10))
    end.

check_object(none, _) -> ok;
check_object(Object, N) ->
    case nif_soaked:look(Object) of
        none -> ok;
        {N, <<N, _:198/binary, N>>} -> ok
    end.

many_objects() ->
    replace(0),
    Users = [spawn_monitor(fun() ->
                               [begin nif_soaked:many(1000), nif_soaked:many_dirty(1000) end || _ <- lists:seq(1, 25)]
                           end) || _ <- [1, 2, 3, 4]],
    [receive {'DOWN', Ref, _, _, Why} -> normal = Why end || {_, Ref} <- Users],
    {Instances, Ended, Destroyed, Created, _, _} = finish(),
    {Instances, Ended, Destroyed, Created}.

%% Objects that watch processes, in processes that die at any moment.
processes_die() ->
    replace(0),
    Rounds = [begin
                  Watched = spawn(fun() -> receive after N rem 7 -> ok end end),
                  {Pid, Ref} = spawn_monitor(fun() -> hold([nif_soaked:new(N rem 256, Watched) || _ <- lists:seq(1, 20)]) end),
                  N rem 3 =:= 0 andalso timer:sleep(N rem 5),
                  exit(Pid, kill),
                  receive {'DOWN', Ref, _, _, Why} -> Why end
              end || N <- lists:seq(1, 300)],
    {Instances, Ended, Destroyed, _, _, _} = finish(),
    {lists:usort(Rounds), Instances, Ended, Destroyed}.

hold(Objects) -> receive stop -> Objects end.
