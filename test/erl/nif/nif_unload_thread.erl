%% Libraries that every scheduler thread is to tell when they go, while threads work in them and while others sleep.
%% OTP 25 does not know the option: the answers are those of OTP 27.
%% Not under leaks: its libraries keep terms when they go.
-module(nif_unload_thread).
-export([main/0]).
-include("n.hrl").

main() ->
    t(out_of_place, fun() -> load(thread), [told(), nif_unloaded:set_option()] end),
    t(unloaded, fun() -> gone(), told() end),
    t(no_callback, fun() -> load(null), [told(), gone(), told()] end),
    t(not_asked_for, fun() -> load(plain), [gone(), told()] end),
    t(once, fun() -> load(halt), [told(), gone(), told()] end),
    t(load_fails, fun() -> [load(fail), told(), load(plain), gone(), told()] end),
    t(upgraded, fun upgraded/0),
    t(given, fun given/0),
    t(dirty, fun dirty/0),
    t(object_stays, fun object_stays/0),
    t(offline, fun offline/0),
    t(many, fun() -> lists:usort([begin load(thread), told(), gone(), told() end || _ <- lists:seq(1, 30)]) end),
    t(busy, fun() -> meanwhile(fun() -> work(1) end) end),
    t(long, fun() -> meanwhile(fun() -> [A, B] = [lists:seq(1, 300000) || _ <- [1, 2]], compare(A, B) end) end).

load(What) ->
    fresh(),
    nif_unloaded:load(library("nif_unload_thread"), {self(), What}).

%% A current instance that has no library, and no old one.
fresh() ->
    gone(),
    {module, nif_unloaded} = code:load_file(nif_unloaded),
    ok.

gone() ->
    code:purge(nif_unloaded),
    code:delete(nif_unloaded),
    code:purge(nif_unloaded),
    ok.

%% What was counted, as far as it is the same on all machines.
told() ->
    receive
        {refused, L} -> {refused, L};
        {What, Counts} -> {What, shown(Counts)}
    after 60000 -> nothing
    end.

shown({Others, Normal, Cpu, Io, Running, Given, Back, Unloads, Destroyed, After}) ->
    All = [schedulers, dirty_cpu_schedulers, dirty_io_schedulers],
    {[case {N, erlang:system_info(I)} of {0, _} -> none; {_, Enough} when N >= Enough -> all; Few -> Few end
      || {N, I} <- lists:zip([Normal, Cpu, Io], All)],
     {others, Others}, {running, Running}, {given, Given =:= Back orelse {Given, Back}}, {unloads, Unloads},
     {destroyed, Destroyed}, {after_unload, After}}.

upgraded() ->
    load(thread),
    First = told(),
    {module, nif_unloaded} = code:load_file(nif_unloaded),
    ok = nif_unloaded:load(library("nif_unload_thread"), {self(), plain}),
    true = code:soft_purge(nif_unloaded),
    OfOld = told(),
    gone(),
    [First, OfOld, told()].

%% Each thread that came by has something to give back. (Dirty ones may have, too; they are not asked for it.)
given() ->
    load(thread),
    told(),
    Workers = [spawn_monitor(fun() -> [nif_unloaded:normal() || _ <- lists:seq(1, 50)] end) || _ <- lists:seq(1, 20)],
    [receive {'DOWN', R, _, _, normal} -> ok end || {_, R} <- Workers],
    gone(),
    told().

dirty() ->
    load(thread),
    told(),
    [ok, ok] = [nif_unloaded:cpu(), nif_unloaded:io()],
    gone(),
    {unloaded, {Calls, Others, Running, {given, {Given, 0}}, Unloads, _, After}} = told(),
    {Calls, Others, Running, Given > 0, Unloads, After}.

%% The library stays for its objects' sake; the threads are told when the last one goes. The next library's type is
%% another one of the same name.
object_stays() ->
    load(thread),
    told(),
    Object = nif_unloaded:object(),
    Data = nif_unloaded:data(),
    ok = load(plain),
    Threads = eventually(fun() -> shown(nif_unloaded:told(Data)) end, shown(nif_unloaded:told(Data)), 50),
    Is = nif_unloaded:is_object(Object),
    drop(),
    R = [Threads, Is, told(), told()],
    gone(),
    [R, told()].

drop() -> erlang:garbage_collect().

eventually(Fun, Before, N) ->
    case Fun() of
        Before when N > 0 -> timer:sleep(20), eventually(Fun, Before, N - 1);
        _ -> timer:sleep(200), Fun()
    end.

offline() ->
    Was = erlang:system_flag(schedulers_online, 1),
    load(thread),
    told(),
    gone(),
    R = told(),
    erlang:system_flag(schedulers_online, Was),
    R.

%% Others run meanwhile, or work long.
meanwhile(Work) ->
    Busy = [spawn_link(Work) || _ <- lists:seq(1, 2 * erlang:system_info(schedulers))],
    R = [begin load(thread), told(), gone(), told() end || _ <- lists:seq(1, 5)],
    [begin unlink(P), exit(P, kill) end || P <- Busy],
    lists:usort(R).

work(N) -> work(erlang:phash2({N, N})).
compare(A, B) -> true = id(A =:= B), erlang:yield(), compare(A, B).
