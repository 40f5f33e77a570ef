%% Random events of processes: three processes, and those that they spawn, do to each other in random order what the flag
%% `procs` tells of, traced with random flags; some of them are suspended, untraced and traced again in between. After each
%% step all have handled what came to them, so the order of what each of them tells is the program's own. Told are the
%% events of each process, what the step returned, and the flags of all at the end. VIV_SEED and VIV_CASES choose the seed
%% and the number of cases (of gen_trace_events; here are fewer).
-module(gen_trace_procs).
-export([main/0, served/1, child/2]).
-include("../erl/trace/trace.hrl").
-include("gen_trace.hrl").

main() ->
    rand:seed(exsss, env("VIV_SEED", 1)),
    logger:set_primary_config(level, none),
    [one_case(I) || I <- lists:seq(1, env("VIV_CASES", 1000) div 10)].

%% Actors are named by numbers: 1, 2, 3, and those that were spawned later. `slept` are suspended, `gone` have ended.
one_case(I) ->
    Actors = maps:from_list([{N, start()} || N <- [1, 2, 3]]),
    First = [{N, flags()} || N <- [1, 2, 3], r(5) > 0],
    [erlang:trace(map_get(N, Actors), true, F) || {N, F} <- First],
    io:format("~p ~0p~n", [I, First]),
    ended(lists:foldl(fun(_, S) -> step(S) end, #{actors => Actors, slept => [], gone => []}, lists:seq(1, 4 + r(8)))).

start() ->
    Main = self(),
    {P, _} = spawn_monitor(?MODULE, served, [Main]),
    P.

served(Main) ->
    receive
        {do, Fun} -> Result = (catch Fun()), Main ! {self(), done, Result}, served(Main);
        {go, Fun} -> Main ! {self(), done, going}, Fun();
        {sync, none} -> served(Main);
        {sync, Ref} -> Main ! {self(), Ref}, served(Main)
    end.

child(Main, How) -> Main ! {child, self(), How}, served(Main).

flags() ->
    [procs || r(6) > 0] ++
    [F || F <- [send, 'receive'], r(4) =:= 0] ++
    [F || F <- [set_on_spawn, set_on_first_spawn, set_on_link, set_on_first_link], r(4) =:= 0] ++
    one([[], [], [timestamp], [strict_monotonic_timestamp], [monotonic_timestamp]]).

%% Steps

awake(#{actors := A, slept := S, gone := G}) -> (lists:sort(maps:keys(A)) -- S) -- G.
alive(#{actors := A, gone := G}) -> lists:sort(maps:keys(A)) -- G.
any(#{actors := A}) -> one(lists:sort(maps:keys(A))).

step(S) ->
    case awake(S) of
        [] -> wake(S);
        Awake -> step(r(20), one(Awake), any(S), S)
    end.

step(0, _, _, S) -> wake(S);
step(1, By, _, S) -> put_asleep(By, S);
step(N, _, To, S) when N < 5 -> traced(To, S);
step(5, _, To, S) -> asked(To, S);
step(_, By, To, #{actors := A} = S) ->
    {Step, How} = action(To),
    act(By, How(map_get(To, A)), {By, Step}, S).

put_asleep(N, #{actors := A, slept := Slept} = S) ->
    Result = erlang:suspend_process(map_get(N, A)),
    told(S#{slept := [N | Slept]}, {suspend, N}, Result).

wake(#{slept := []} = S) -> S;
wake(#{actors := A, slept := [N | Rest]} = S) ->
    Result = (catch_error(fun() -> erlang:resume_process(map_get(N, A)) end)),
    told(settled(S#{slept := Rest}), {resume, N}, Result).

traced(N, #{actors := A} = S) ->
    On = r(3) > 0,
    Flags = one([flags(), flags(), [send, 'receive', procs], [procs], ['receive'], ['receive', procs]]),
    P = map_get(N, A),
    Result = catch_error(fun() -> erlang:trace(P, On, Flags) end),
    told(S, {trace, N, On, Flags}, Result).

%% Questions, some of which make one that is suspended look at its messages. Nobody else is asked.
asked(N, #{actors := A} = S) ->
    {What, How} = one(questions()),
    P = map_get(N, A),
    told(S, {asked, N, What}, case lists:member(N, map_get(gone, S)) of true -> gone; false -> catch_error(fun() -> How(P) end) end).

questions() ->
    [{{info, I}, fun(P) -> is_tuple(process_info(P, I)) end} || I <- [priority, status, messages, registered_name, links]] ++
    [{alive, fun erlang:is_process_alive/1},
     {collected, fun(P) -> erlang:garbage_collect(P) end},
     {collected, fun(P) -> erlang:garbage_collect(P, [{type, minor}]) end},
     {checked, fun(P) -> erlang:check_process_code(P, no_such_module) end},
     {led, fun(P) -> group_leader(group_leader(), P) end},
     {monitored, fun(P) -> demonitor(monitor(process, P), [flush]) end},
     {trace_info, fun(P) -> element(1, erlang:trace_info(P, flags)) end},
     {suspended, fun(P) -> erlang:suspend_process(P), erlang:resume_process(P) end},
     {suspended_and_told, fun(P) ->
         erlang:suspend_process(P, [{asynchronous, tag}]),
         receive {tag, What} -> {What, erlang:resume_process(P)} end
      end}].

catch_error(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.

%% What one may do to another: its name, and the fun, of the other's pid.
action(To) ->
    Name = one([gen_a, gen_b]),
    Reason = one([normal, kill, bye, shutdown, {large, lists:seq(1, 60)}]),
    one([{{link, To}, fun(P) -> {do, fun() -> link(P) end} end},
         {{link, To}, fun(P) -> {do, fun() -> link(P) end} end},
         {{unlink, To}, fun(P) -> {do, fun() -> unlink(P) end} end},
         {{link_twice, To}, fun(P) -> {do, fun() -> link(P), link(P) end} end},
         {{link_unlink, To}, fun(P) -> {do, fun() -> link(P), unlink(P) end} end},
         {{unlink_link, To}, fun(P) -> {do, fun() -> unlink(P), link(P) end} end},
         {{register, Name, To}, fun(P) -> {do, fun() -> register(Name, P) end} end},
         {{register, Name, To}, fun(P) -> {do, fun() -> register(Name, P) end} end},
         {{register_twice, To}, fun(P) -> {do, fun() -> register(gen_c, P), unregister(gen_c), register(gen_c, P) end} end},
         {{unregister, Name}, fun(_) -> {do, fun() -> unregister(Name) end} end},
         {{monitor, To}, fun(P) -> {do, fun() -> demonitor(monitor(process, P), [flush]) end} end},
         {{send, To}, fun(P) -> {message, fun() -> P ! {sync, none}, sent end} end},
         {{send_name, Name}, fun(_) -> {message, fun() -> Name ! {sync, none}, sent end} end},
         {{exit, To, Reason}, fun(P) -> {do, fun() -> exit(P, Reason) end} end},
         {{exit, To, Reason}, fun(P) -> {do, fun() -> exit(P, Reason) end} end},
         {{ends, Reason}, fun(_) -> {go, fun() -> exit(Reason) end} end},
         {fails, fun(_) -> {go, fun() -> error(bye) end} end},
         {throws, fun(_) -> {go, fun() -> throw(bye) end} end},
         {returns, fun(_) -> {go, fun() -> ok end} end},
         {hibernates, fun(_) -> Main = self(), {go, fun() -> erlang:hibernate(?MODULE, served, [Main]) end} end},
         {{trap_exit, true}, fun(_) -> {do, fun() -> process_flag(trap_exit, true) end} end},
         {{trap_exit, false}, fun(_) -> {do, fun() -> process_flag(trap_exit, false) end} end},
         {spawn, spawning(fun(A) -> spawn(?MODULE, child, A) end)},
         {spawn, spawning(fun(A) -> spawn(?MODULE, child, A) end)},
         {spawn_link, spawning(fun(A) -> spawn_link(?MODULE, child, A) end)},
         {spawn_link, spawning(fun(A) -> spawn_link(?MODULE, child, A) end)},
         {spawn_monitor, spawning(fun(A) -> element(1, spawn_monitor(?MODULE, child, A)) end)},
         {{spawn_opt, link}, spawning(fun(A) -> spawn_opt(?MODULE, child, A, [link, {priority, high}]) end)},
         {{spawn_opt, both}, spawning(fun(A) -> element(1, spawn_opt(?MODULE, child, A, [monitor, link])) end)},
         {spawn_request, spawning(fun(A) -> requested(spawn_request(?MODULE, child, A, [])) end)},
         {{spawn_request, link}, spawning(fun(A) -> requested(spawn_request(?MODULE, child, A, [link])) end)}]).

spawning(How) ->
    Main = self(),
    fun(_) -> {child, fun() -> How([Main, started]) end} end.

requested(Id) -> receive {spawn_reply, Id, ok, P} -> P end.

act(By, {Kind, Fun}, Step, #{actors := A} = S) ->
    P = map_get(By, A),
    P ! {case Kind of go -> go; _ -> do end, Fun},
    Result = receive {P, done, R} -> R; {'DOWN', _, process, P, R} -> put({down, P}, true), {down, R} end,
    S1 = case Kind of child when is_pid(Result) -> born(Result, S); _ -> S end,
    S2 = settled(S1, Kind),
    told(S2, Step, case lists:member(By, map_get(gone, S2)) of true -> gone; false -> Result end).

born(P, #{actors := A} = S) ->
    receive {child, P, started} -> ok end,
    monitor(process, P),
    S#{actors := A#{map_size(A) + 1 => P}}.

%% All that are awake have handled what has come to them, and so often until nobody ends any more; those that are
%% suspended, if it was more than messages: on the stock runtime they look at nothing else by themselves.
settled(S) -> settled(S, do).
settled(S, Kind) ->
    Ended = [N || N <- alive(S), is_gone(N, Kind, S)],
    case S#{gone := Ended ++ map_get(gone, S)} of
        S -> S;
        Fewer -> settled(Fewer#{slept := map_get(slept, S) -- Ended}, do)
    end.

is_gone(N, Kind, #{actors := A, slept := Slept}) ->
    P = map_get(N, A),
    case lists:member(N, Slept) of
        true when Kind =:= message -> false;
        true -> process_info(P, priority), process_info(P, priority) =:= undefined andalso is_down(P);
        false -> is_down_now(P)
    end.

is_down(P) -> get({down, P}) =:= true orelse receive {'DOWN', _, process, P, _} -> true end.

is_down_now(P) ->
    Ref = make_ref(),
    P ! {sync, Ref},
    get({down, P}) =:= true orelse receive {P, Ref} -> false; {'DOWN', _, process, P, _} -> true end.

%% Who is left, with its flags; then all are killed, one after the other.
ended(S) ->
    [io:format("  ~p: ~0p~n", [N, erlang:trace_info(map_get(N, map_get(actors, S)), flags)]) || N <- alive(S)],
    lists:foldl(fun killed/2, S, alive(S)),
    flushed().

killed(N, #{actors := A} = S) ->
    case lists:member(N, alive(S)) of
        true -> told(settled(S, exit(map_get(N, A), kill) andalso do), {killed, N}, true);
        false -> S
    end.

flushed() -> receive _ -> flushed() after 0 -> ok end.

%% What each has told since.
told(#{actors := A} = S, Step, Result) ->
    Ref = erlang:trace_delivered(all),
    receive {trace_delivered, all, Ref} -> ok end,
    Events = [E || E <- everything(), not is_sync(element(3, E), element(4, E))],
    Named = maps:from_list([{self(), main} | [{P, list_to_atom("p" ++ integer_to_list(N))} || {N, P} <- maps:to_list(A)]]),
    {{Step1, Result1}, _} = plain({Step, Result}, Named),
    io:format("  ~0p: ~0p~n", [Step1, Result1]),
    [io:format("    ~p ~0p~n", [N, element(1, plain([stamped(E) || E <- Events, element(2, E) =:= P], Named))])
     || {N, P} <- lists:sort(maps:to_list(A)), lists:keymember(P, 2, Events)],
    S.

%% How often all were asked, and whether who ends by what it has done to another has answered before.
is_sync('receive', {sync, Ref}) -> is_reference(Ref);
is_sync(send, {_, Ref}) -> is_reference(Ref);
is_sync(send, {_, done, _}) -> true;
is_sync(_, _) -> false.
