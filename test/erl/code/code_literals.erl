%% Literals, and funs, that outlive the code they came with, wherever they are kept; persistent terms that others hold.
-module(code_literals).
-export([main/0]).
-include("purge.hrl").
-compile({nowarn_unused_function, finish/1}).

main() ->
    places(),
    sharing(),
    in_flight(),
    persistent(),
    changes(),
    rounds().

module() ->
    build(code_literals_m, "value/0, big/0, fun_of/1, list/0, map/0, binary/0",
          ["value() -> {literal, [\"text\", {1, 2.5e300, 3}], #{key => [value, <<\"bytes\">>]}}.",
           "big() -> 123456789012345678901234567890.",
           "fun_of(X) -> fun(Y) -> {X, Y, [literal]} end.",
           "list() -> [a, b, {c}, \"d\" | improper].",
           "map() -> #{" ++ lists:append(lists:join(", ", [integer_to_list(I) ++ " => {" ++ integer_to_list(I) ++ "}" ||
                                                I <- lists:seq(1, 50)])) ++ "}.",
           "binary() -> <<\"" ++ lists:duplicate(200, $x) ++ "\">>."]).

all() -> [code_literals_m:value(), code_literals_m:big(), code_literals_m:list(), code_literals_m:map(),
          code_literals_m:binary(), binary:part(code_literals_m:binary(), 10, 80), code_literals_m:fun_of({x, y})].

%% What can be said of them when their code is gone.
digest(Terms) -> erlang:md5(term_to_binary([T || T <- Terms, not is_function(T)])).

replace() ->
    code:delete(code_literals_m),
    code:purge(code_literals_m).

%% All that was to go has gone, or nothing is left to do: literals are released in the background.
settle() -> [erlang:garbage_collect(), receive after 20 -> ok end].

places() ->
    load(module()),
    Digest = digest(all()),
    Table = ets:new(table, [public]),
    ets:insert(Table, {key, all()}),
    put(all, all()),
    self() ! {queue, all()},
    self() ! code_literals_m:list(),
    self() ! code_literals_m:big(),
    Me = self(),
    Names = [stack, dictionary, message, hibernated, suspended],
    Keepers = [{Name, spawn(fun() -> keeper(Name, Me) end)} || Name <- Names],
    [receive {ready, P} -> ok end || {_, P} <- Keepers],
    [P ! {keep, all()} || {message, P} <- Keepers],
    true = erlang:suspend_process(proplists:get_value(suspended, Keepers)),
    Timer = erlang:send_after(300, self(), {timer, all()}),
    Started = erlang:start_timer(300, self(), code_literals_m:list()),
    Ref = monitor(process, element(2, hd(Keepers)), [{tag, code_literals_m:value()}]),
    Mine = all(),
    replace(),
    settle(),
    %% New code where the old one was.
    load(module()),
    replace(),
    settle(),
    show("heap: ~p", [digest(Mine) =:= Digest]),
    show("dictionary: ~p", [digest(get(all)) =:= Digest]),
    show("table: ~p", [[digest(Kept) =:= Digest || {key, Kept} <- ets:tab2list(Table)]]),
    show("messages: ~p", [receive {queue, Queued} -> digest(Queued) =:= Digest end]),
    show("~p", [receive [a | _] = List -> List end]),
    show("~p", [receive I when is_integer(I) -> I end]),
    show("timer: ~p", [is_reference(Timer) andalso receive {timer, Late} -> digest(Late) =:= Digest end]),
    show("~p", [receive {timeout, Started, Later} -> Later end]),
    erlang:resume_process(proplists:get_value(suspended, Keepers)),
    [begin
         P ! {tell, self()},
         receive {P, Told} -> show("~p: ~p", [Name, digest(Told) =:= Digest]) end
     end || {Name, P} <- Keepers],
    show("monitor: ~p", [receive {Tag, Ref, process, _, Reason} -> {Tag, Reason} end]),
    F = lists:last(Mine),
    show("fun: ~p", [[erlang:fun_info(F, Item) || Item <- [module, name, arity, env]]]),
    show("~p", [[F =:= lists:last(Kept) || {key, Kept} <- ets:tab2list(Table)]]),
    load(module()),
    show("fun again: ~p", [[F(1), (lists:last(get(all)))(2), (lists:last(ets:lookup_element(Table, key, 2)))(3)]]),
    erase(all),
    replace(),
    ets:delete(Table),
    settle().

keeper(stack, Parent) ->
    All = all(),
    Parent ! {ready, self()},
    receive {tell, To} -> To ! {self(), All} end,
    exit({reason, [of_its_own]});
keeper(dictionary, Parent) ->
    put(all, all()),
    Parent ! {ready, self()},
    receive {tell, To} -> To ! {self(), get(all)} end;
keeper(message, Parent) ->
    Parent ! {ready, self()},
    receive {tell, To} -> receive {keep, All} -> To ! {self(), All} end end;
keeper(hibernated, Parent) ->
    Parent ! {ready, self()},
    erlang:hibernate(erlang, apply, [fun awake/1, [all()]]);
keeper(suspended, Parent) ->
    All = all(),
    Parent ! {ready, self()},
    receive {tell, To} -> To ! {self(), All} end.

awake(All) -> receive {tell, To} -> To ! {self(), All} end.

%% One literal that is referred to a thousand times is copied once.
sharing() ->
    load(module()),
    {P, Ref} = spawn_monitor(fun() ->
                                     L = lists:duplicate(1000, code_literals_m:map()),
                                     receive go -> ok end,
                                     erlang:garbage_collect(),
                                     {_, Words} = process_info(self(), total_heap_size),
                                     exit({length(L), map_size(hd(L)), Words < 20000})
                             end),
    waits(P),
    replace(),
    settle(),
    P ! go,
    show("shared: ~p", [receive {'DOWN', Ref, process, P, Reason} -> Reason end]).

%% Sent to and fro while their code goes away.
in_flight() ->
    load(module()),
    Digest = digest(all()),
    Pids = [spawn_monitor(fun() -> pass(500, Digest) end) || _ <- lists:seq(1, 8)],
    Ring = [P || {P, _} <- Pids],
    [P ! {next, Next} || {P, Next} <- lists:zip(Ring, tl(Ring) ++ [hd(Ring)])],
    [P ! {all, all()} || P <- Ring],
    replace(),
    show("passed on: ~p", [lists:usort([receive {'DOWN', Ref, process, P, R} -> R end || {P, Ref} <- Pids])]).

pass(N, Digest) -> receive {next, Next} -> pass(N, Next, Digest) end.
pass(0, _, _) -> ok;
pass(N, Next, Digest) ->
    receive
        {all, All} ->
            Digest = digest(All),
            Next ! {all, All},
            pass(N - 1, Next, Digest)
    end.

persistent() ->
    Me = self(),
    Big = [lists:duplicate(100, {some, [term, N]}) || N <- lists:seq(1, 50)],
    Digest = digest(Big),
    persistent_term:put(code_literals, [fun(X) -> {X, Me} end | Big]),
    P = spawn(fun() -> held(persistent_term:get(code_literals)) end),
    waits(P),
    Mine = persistent_term:get(code_literals),
    self() ! {all, Mine},
    #{count := Count, memory := Memory} = persistent_term:info(),
    show("erase: ~p", [persistent_term:erase(code_literals)]),
    #{count := Less, memory := Small} = persistent_term:info(),
    show("~p", [{Count - Less, Small < Memory}]),
    settle(),
    show("~p", [digest(Mine) =:= digest([hd(Mine) | Big])]),
    P ! {tell, self()},
    show("~p", [receive {P, [_ | Held]} -> digest(Held) =:= Digest end]),
    show("~p", [receive {all, [F | L]} -> {digest(L) =:= Digest, F(a) =:= {a, Me}, F =:= hd(Mine)} end]),
    show("gone: ~p", [persistent_term:get(code_literals, none)]),
    exit(P, kill).

held(T) -> receive {tell, To} -> To ! {self(), T} end, held(T).

%% Each reader has a value as a whole, whatever is put meanwhile.
changes() ->
    persistent_term:put(code_literals, {0, lists:duplicate(20, {0})}),
    Readers = [spawn_monitor(fun() -> read(2000) end) || _ <- lists:seq(1, 4)],
    [persistent_term:put(code_literals, {N, lists:duplicate(20, {N})}) || N <- lists:seq(1, 300)],
    show("read: ~p", [lists:usort([receive {'DOWN', Ref, process, P, R} -> R end || {P, Ref} <- Readers])]),
    show("last: ~p", [element(1, persistent_term:get(code_literals))]),
    persistent_term:erase(code_literals).

read(0) -> ok;
read(N) ->
    {I, L} = persistent_term:get(code_literals),
    20 = length([x || {J} <- L, I =:= J]),
    read(N - 1).

%% Memory is what it was, but for some chunks of the tables of ranges (code_purge).
-define(RANGE_CHUNKS, 8 * 1792). % bytes

rounds() ->
    turn(10),
    Before = settled(),
    turn(100),
    wait_until(fun() -> settled() =< Before + ?RANGE_CHUNKS end),
    show("as before", []).

turn(0) -> ok;
turn(N) ->
    load(module()),
    P = spawn(fun() -> held(all()) end),
    waits(P),
    persistent_term:put(code_literals, {N, all()}),
    self() ! all(),
    replace(),
    receive [_ | _] -> ok end,
    exit(P, kill),
    persistent_term:erase(code_literals),
    turn(N - 1).

settled() ->
    settle(),
    erlang:memory(code).
