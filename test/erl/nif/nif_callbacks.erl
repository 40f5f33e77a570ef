%% load and upgrade that fail, raise, send, open and take over types, watch processes, keep terms: what they see, what
%% is left when they have failed, and the same actions in calls.
%% Not under leaks: its libraries keep terms when they go.
-module(nif_callbacks).
-export([main/0]).
-include("n.hrl").

main() ->
    register(tester, self()),
    [t({load, Name}, fun() -> loaded(Script) end) || {Name, Script} <- scripts() ++ type_scripts()],
    %% Whether an object of a type that is being opened can watch a process in `upgrade` goes by chance on stock.
    [t({upgrade, Name}, fun() -> upgraded(Script) end) || {Name, Script} <- scripts() ++ type_scripts(),
                                                                Name =/= monitor],
    [t({F, Name}, fun() -> called(F, Script) end) || F <- [run, dirty], {Name, Script} <- scripts()],
    t(takeover, fun takeover/0).

%% Lists of what is to be done (nif_callbacks.c).
scripts() ->
    Me = self(),
    Big = lists:seq(1, 100),
    Dead = dead(),
    [{plain, []}, {returns, [{return, 1}]}, {returns, [{return, -1}]}, {returns, [{return, 16#7fffffff}]},
     {badarg, [{badarg}]}, {badarg_fails, [{badarg}, {return, 3}]}, {raise, [{raise, {some, "term"}}]},
     {raise_fails, [{raise, Big}, {return, 1}]}, {exception, [{has_exception}]},
     {send, [{send, Me, {hello, Big}}, {send, Dead, 1}, {send, Me, 2}]},
     {send_fails, [{send, Me, {hello, Big}}, {return, 1}]},
     {send_own, [{send_own, Me, {own, Big}}, {send_own, Dead, x}]},
     {self, [{is_self, Me}, {current_alive}]}, {slice, [{slice, 100}, {slice, 100}]},
     {keep, [{keep, {Big, #{a => Big}, <<0:8000>>, 1 bsl 100}}]}, {envs, [{envs, 100}]}, {thread, [{thread, Me}]},
     {makes, [{hash, Big}, {to_binary, {a, 1, "x"}}, {unique}, {ref}, {alive, Me}, {alive, Dead}, {data}]},
     {list, [{list, 1000}, {bytes, 10}, {bytes, 100000}]}, {sleep, [{sleep, 3}]}].

type_scripts() ->
    [{open, [{open, "t1", 1}, {open, "t1", 1}, {open, "t1", 2}, {open, "t1", 3}, {open, "", 1}, {open, "t3", 0}]},
     {open_fails, [{open, "t1", 1}, {return, 9}]},
     {object, [{open, "t1", 3}, {object, 0, 89}]},
     %% Its type has no callback for that before the library is loaded.
     {monitor, [{open, "t1", 1}, {monitor, 0, 77, self()}, {monitor, 0, 78, dead()}]}].

loaded(Script) -> {load(Script), told(), run(run, [{data}, {kept}]), gone()}.

upgraded(Script) ->
    load([]),
    told(),
    {upgrade(Script), told(), run(run, [{data}]), gone()}.

called(F, Script) ->
    load([]),
    told(),
    {run(F, Script), told(), gone()}.

%% In a process of its own, at whose end the objects die.
takeover() ->
    {Pid, Ref} = spawn_monitor(fun() ->
        exit([load([{open, "t1", 1}]), run(run, [{object, 0, 105}]),
              run(run, [{monitor, 0, 106, self()}, {monitor, 0, 107, dead()}]),
              upgrade([{open, "t1", 2}, {object, 0, 108}]), run(run, [{object, 0, 109}])])
    end),
    Results = receive {'DOWN', Ref, _, Pid, Why} -> Why end,
    Next = fun() -> receive {What, V, N} when is_integer(N), N > 100 -> {What, V, N} after 60000 -> nothing end end,
    Ends = lists:sort([Next() || _ <- lists:seq(1, 3)]), % one is in a message to the tester
    put(loaded, length([ok || ok <- Results])),
    {Results, Ends, gone()}.

dead() -> {Pid, Ref} = spawn_monitor(fun() -> ok end), receive {'DOWN', Ref, _, _, _} -> Pid end.

caught(F) -> try F() catch C:R:S -> {C, R, [top(E) || E <- lists:sublist(S, 1)]} end.

new_code() ->
    Code = compiled(["-module(nif_callbacks_m).", "-export([load/2, run/1, dirty/1]).",
                     "load(L, I) -> erlang:load_nif(L, I).", "run(_) -> not_loaded.", "dirty(_) -> not_loaded."]),
    {module, nif_callbacks_m} = code:load_binary(nif_callbacks_m, "m", Code).

load(Script) -> load("nif_callbacks", Script).
upgrade(Script) -> load("nif_callbacks_2", Script).
load(Library, Script) ->
    new_code(),
    R = caught(fun() -> nif_callbacks_m:load(library(Library), Script) end),
    R =:= ok andalso put(loaded, case get(loaded) of undefined -> 1; N -> N + 1 end),
    R.

run(F, Script) -> hidden(show(caught(fun() -> nif_callbacks_m:F(Script) end))).

%% The last objects go now, not when this process collects by chance; and what was loaded is unloaded soon.
gone() ->
    erlang:garbage_collect(),
    R = [code:purge(nif_callbacks_m), code:delete(nif_callbacks_m), code:purge(nif_callbacks_m)],
    [self() ! M || M <- unloaded(erase(loaded))],
    {R, lists:sort(told())}.

unloaded(N) when is_integer(N), N > 0 -> receive {unload, _, _} = M -> [M | unloaded(N - 1)] after 5000 -> [] end;
unloaded(_) -> [].

%% When objects die that this process has is not told.
told() -> [hidden(show(M)) || M <- flush(), element(1, M) =/= died].

hidden(R) when is_reference(R) -> reference;
hidden([H | T]) -> [hidden(H) | hidden(T)];
hidden(T) when is_tuple(T) -> list_to_tuple(hidden(tuple_to_list(T)));
hidden(T) -> T.
