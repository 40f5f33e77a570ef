%% A storm of all operations at once, on many processes that are killed at any time.
%% storm:main([Seconds, Seed | Parts]): a first round that warms up, all is calm, a second one, all is calm again: then
%% nothing may be left of it but what was left of the first. Only what is true whatever the timing is checked.
%%
%% Each worker does random actions of the parts (storm.hrl) until its life is over or it is killed; another takes its
%% place. Its slot says what it does since when: who takes longer than STORM_PATIENCE (60) seconds of processor time
%% hangs (a machine that is busy with other things gives little), and so do all when none of them has done anything for
%% as long by the clock. Then what is known of all processes is shown, and the program ends with 3, or stays for a
%% debugger (STORM_STAYS=1).
-module(storm).
-include("storm.hrl").
-export([main/1, worker/5, server/0, seed/3]).

-define(PARTS, [storm_processes, storm_messages, storm_ets, storm_code, storm_trace, storm_terms, storm_native,
                storm_system, storm_memory, storm_ports]).
-define(ACTION(Slot), (2 * Slot - 1)).
-define(SINCE(Slot), (2 * Slot)).

main([Seconds, Seed]) -> main([Seconds, Seed | [atom_to_list(P) || P <- ?PARTS]]);
main([Seconds, Seed | Parts]) ->
    process_flag(trap_exit, true),
    process_flag(priority, high),
    logger:set_primary_config(level, none),
    put(passed, 0),
    put(failed, 0),
    Milliseconds = round(1000 * number(Seconds)),
    Modules = [list_to_atom(P) || P <- Parts],
    [M:begins() || M <- Modules, is_exported(M, begins, 0)],
    Actions = list_to_tuple(lists:append([M:actions() || M <- Modules])),
    Slots = atomics:new(2 * ?WORKERS, []),
    Counts = counters:new(tuple_size(Actions), [write_concurrency]),
    Processes = processes(),
    Watchdog = spawn_opt(fun() -> watchdog(Slots, Actions, Counts) end, [link, {priority, max}]),
    Storm = {Actions, Slots, Counts, list_to_integer(Seed)},
    blow(Storm, Milliseconds div 4, 0),
    calm(Modules, Processes, Watchdog),
    Before = memory(),
    blow(Storm, Milliseconds - Milliseconds div 4, 1),
    calm(Modules, Processes, Watchdog),
    [check(Name, true, Is) || M <- Modules, is_exported(M, invariants, 0), {Name, Is} <- M:invariants()],
    check("memory", [], grown(Before, memory())),
    permission(),
    [check("never done", [], never_done(Actions, Counts)) || Milliseconds >= 20000],
    unlink(Watchdog),
    exit(Watchdog, kill),
    %% Programs of ports write where this goes, and some are killed in the middle of a line.
    io:format("~n~b passed, ~b failed~n", [get(passed), get(failed)]),
    halt(case get(failed) of 0 -> 0; _ -> 1 end).

number(Text) -> try list_to_float(Text) catch error:badarg -> list_to_integer(Text) end.
is_exported(M, F, A) -> code:ensure_loaded(M) =:= {module, M} andalso erlang:function_exported(M, F, A).

check(_, Expected, Expected) -> put(passed, get(passed) + 1);
check(Name, Expected, Got) ->
    put(failed, get(failed) + 1),
    io:format("FAILED: ~s~n  expected ~p~n  got      ~0p~n", [Name, Expected, Got]).

%% --- the workers ---

seed(Seed, Slot, Life) -> rand:seed(exsss, {Seed + 1, Slot, Life}).

blow(Storm, Milliseconds, Round) ->
    erlang:send_after(Milliseconds, self(), calm),
    Workers = maps:from_list([start(Storm, Slot, Round * 1000000) || Slot <- lists:seq(1, ?WORKERS)]),
    Servers = maps:from_list([serve(Slot) || Slot <- lists:seq(1, ?SERVERS)]),
    keep(Storm, maps:merge(Workers, Servers)).

start({Actions, Slots, Counts, Seed}, Slot, Life) ->
    {_, M} = spawn_monitor(?MODULE, worker, [Actions, Slots, Counts, {Seed, Slot, Life}, self()]),
    {M, {worker, Slot, Life}}.

serve(Slot) ->
    {P, M} = spawn_monitor(?MODULE, server, []),
    register_at_last(storm_any:server(Slot), P),
    {M, {server, Slot}}.

%% Who held the name is dead, and it is free; or P has been killed already.
register_at_last(Name, P) -> try register(Name, P) catch error:badarg -> false = is_process_alive(P) end.

keep(Storm, All) ->
    receive
        {'DOWN', M, process, P, Reason} when is_map_key(M, All) ->
            {What, Rest} = maps:take(M, All),
            ended(P, What, Reason),
            {New, Started} = again(Storm, What),
            keep(Storm, Rest#{New => Started});
        calm -> calm_down(Storm, All);
        {'EXIT', P, Reason} -> exit({ended, P, Reason});
        _ -> keep(Storm, All)
    end.

again(Storm, {worker, Slot, Life}) -> start(Storm, Slot, Life + 1);
again(_, {server, Slot}) -> serve(Slot).

ended(_, _, Reason) when Reason =:= killed; Reason =:= normal; Reason =:= noproc; Reason =:= noconnection -> ok;
ended(_, _, {storm, _}) -> ok;
%% A port was sent what only its process may send, or had no reader any more, or no pipe.
ended(_, _, Reason) when Reason =:= badsig; Reason =:= epipe; Reason =:= ebadf -> ok;
%% A port's descriptor could not be watched.
ended(P, What, enomem) -> check(io_lib:format("~p ~p", [What, P]), true, storm_any:has_faults());
ended(P, What, Reason) -> check(io_lib:format("~p ~p", [What, P]), none, Reason).

calm_down({_, Slots, _, _}, All) ->
    Names = [storm_any:slot(I) || I <- lists:seq(1, ?WORKERS)] ++ [storm_any:server(I) || I <- lists:seq(1, ?SERVERS)],
    [exit(P, kill) || Name <- Names, P <- [whereis(Name)], is_pid(P)],
    wait_for(All),
    [atomics:put(Slots, ?SINCE(Slot), 0) || Slot <- lists:seq(1, ?WORKERS)].

%% One that had no name yet has one now.
wait_for(All) when map_size(All) =:= 0 -> ok;
wait_for(All) ->
    receive
        {'DOWN', M, process, P, Reason} when is_map_key(M, All) ->
            {What, Rest} = maps:take(M, All),
            ended(P, What, Reason),
            wait_for(Rest)
    after 100 ->
        [exit(P, kill) || I <- lists:seq(1, ?WORKERS), P <- [whereis(storm_any:slot(I))], is_pid(P)],
        wait_for(All)
    end.

worker(Actions, Slots, Counts, {Seed, Slot, Life}, Keeper) ->
    seed(Seed, Slot, Life),
    put(keeper, Keeper),
    register(storm_any:slot(Slot), self()),
    act(Actions, Slots, Counts, Slot, 20 + rand:uniform(400)).

act(_, Slots, _, Slot, 0) -> atomics:put(Slots, ?SINCE(Slot), 0);
act(Actions, Slots, Counts, Slot, Left) ->
    I = rand:uniform(tuple_size(Actions)),
    {Name, F} = element(I, Actions),
    atomics:put(Slots, ?ACTION(Slot), I),
    atomics:put(Slots, ?SINCE(Slot), used()),
    try F()
    catch
        error:badarg -> ok;
        error:Reason:Stack -> exit({Name, Reason, Stack});
        throw:Reason:Stack -> exit({Name, Reason, Stack})
    end,
    counters:add(Counts, I, 1),
    storm_any:flush(),
    act(Actions, Slots, Counts, Slot, Left - 1).

%% Of processor time, in milliseconds; positive: 0 is none.
used() -> element(1, statistics(runtime)) + 1.

never_done(Actions, Counts) ->
    [element(1, element(I, Actions)) || I <- lists:seq(1, tuple_size(Actions)), counters:get(Counts, I) =:= 0].

%% Answers calls, and does to itself what processes do.
server() ->
    receive
        {call, From, Tag, {copy, X}} -> From ! {Tag, X}, server();
        {call, From, Tag, hibernate} -> From ! {Tag, ok}, erlang:hibernate(?MODULE, server, []);
        {call, From, Tag, collect} -> garbage_collect(), From ! {Tag, ok}, server();
        {call, From, Tag, selective} -> self() ! Tag, receive Tag -> From ! {Tag, ok} end, server();
        {call, From, Tag, raise} -> process_flag(priority, storm_any:one_of([low, normal, high])), From ! {Tag, ok},
                                    server();
        {call, From, Tag, dies} -> From ! {Tag, ok}, exit({storm, asked});
        _ -> server()
    end.

%% --- calm ---

%% What the parts left is cleared; then all processes of the storm are gone.
calm(Modules, Processes, Watchdog) ->
    [M:calms() || M <- Modules, is_exported(M, calms, 0)],
    Left = left(Processes, Watchdog, patience() div 100),
    Items = [current_stacktrace, initial_call, dictionary, status, messages],
    check("processes left", [], [{P, process_info(P, Items)} || P <- Left]),
    [check("names left", [], [N || N <- registered(), lists:prefix("storm_w", atom_to_list(N))])].

left(Processes, Watchdog, Times) ->
    case [P || P <- processes() -- [Watchdog | Processes], not is_of_the_system(P)] of
        [] -> [];
        Left when Times =:= 0 -> Left;
        _ -> storm_any:wait(100), flush(), left(Processes, Watchdog, Times - 1)
    end.

flush() -> receive _ -> flush() after 0 -> ok end.

%% Servers of kernel that were started because something needed them first.
is_of_the_system(P) ->
    case process_info(P, [registered_name, dictionary]) of
        undefined -> true;
        [{registered_name, Name}, {dictionary, D}] ->
            (is_atom(Name) andalso not lists:prefix("storm", atom_to_list(Name)))
                orelse lists:keymember('$ancestors', 1, D)
    end.

%% Memory that goes only after thread progress, or when others have looked at their heaps, may take a moment.
memory() -> memory(10, settled()).
memory(0, Memory) -> Memory;
memory(Times, Memory) ->
    storm_any:wait(50),
    Now = settled(),
    memory(Times - 1, [{K, min(V, proplists:get_value(K, Now))} || {K, V} <- Memory]).

settled() ->
    [garbage_collect(P) || P <- processes()],
    [{system, System} | Memory] = erlang:memory([system, processes, ets, binary, code]),
    [{system, System - slots()}, {tables, length(ets:all())} | Memory].

%% Each process takes the place that was left longest ago, so the table of them grows until all have been used.
slots() ->
    {process_table, Bytes} = lists:keyfind(process_table, 1, erlang:system_info(allocated_areas)),
    Bytes.

%% Tables of the runtime that grow take a while to be as large as they get.
grown(Before, After) ->
    [{Kind, Was, Is} || {Kind, Was} <- Before, {_, Is} <- [lists:keyfind(Kind, 1, After)], Is - Was > most(Kind)].
most(tables) -> 0;
most(_) -> 2000000.

%% It can be had still.
permission() ->
    Is = code:soft_purge(storm_any) andalso erlang:trace_pattern({storm_any, term, 0}, false) >= 0,
    check("the code permission", true, Is).

%% --- the watchdog ---

patience() -> 1000 * list_to_integer(os:getenv("STORM_PATIENCE", "60")).

watchdog(Slots, Actions, Counts) -> watchdog(Slots, Actions, Counts, {done(Slots, Counts), clock()}).
watchdog(Slots, Actions, Counts, {Done, At}) ->
    storm_any:wait(500),
    Busy = [{Slot, Since} || Slot <- lists:seq(1, ?WORKERS), Since <- [atomics:get(Slots, ?SINCE(Slot))], Since > 0],
    Now = case done(Slots, Counts) of
              Done when Busy =/= [] -> {Done, At};
              More -> {More, clock()}
          end,
    Used = used(),
    Late = [Slot || {Slot, Since} <- Busy, Used - Since > patience() orelse clock() - element(2, Now) > patience()],
    [bark(Slots, Actions, Late) || Late =/= []],
    watchdog(Slots, Actions, Counts, Now).

clock() -> erlang:monotonic_time(millisecond).
%% What all have done so far, and begun.
done(Slots, Counts) ->
    #{size := Size} = counters:info(Counts),
    {[counters:get(Counts, I) || I <- lists:seq(1, Size)],
     [atomics:get(Slots, ?SINCE(Slot)) || Slot <- lists:seq(1, ?WORKERS)]}.

bark(Slots, Actions, Late) ->
    What = [{storm_any:slot(Slot), element(1, element(atomics:get(Slots, ?ACTION(Slot)), Actions))} || Slot <- Late],
    [io:format("HANGS: ~p in ~p~n", [Name, Action]) || {Name, Action} <- What],
    [io:format("~p ~0p~n", [P, told(P)]) || P <- processes()],
    case os:getenv("STORM_STAYS") of
        false -> halt(3);
        _ -> receive after infinity -> ok end
    end.

%% Each is asked by a process of its own: who does not answer is what is looked for.
told(P) ->
    {Asker, M} = spawn_monitor(fun() ->
        exit({told, process_info(P, [registered_name, initial_call, status, message_queue_len, current_stacktrace,
                                     links, monitors, suspending, priority])})
    end),
    receive {'DOWN', M, _, _, {told, Info}} -> Info after 3000 -> exit(Asker, kill), does_not_answer end.
