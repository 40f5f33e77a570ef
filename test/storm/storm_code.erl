%% Code: modules that are replaced, deleted and purged under those who run them. A call sees one version, whole;
%% literals that somebody holds stay as they are when their code is gone.
-module(storm_code).
-include("storm.hrl").
-export([begins/0, actions/0, calms/0]).
-import(storm_any, [chance/1, one_of/1, other/0, pid/0, wait/1, down/1]).

begins() ->
    persistent_term:put(storm_code, maps:from_list([{{M, V}, compiled(M, V)} ||
        M <- ?MODULES, V <- lists:seq(1, ?VERSIONS)])),
    [load(M) || M <- ?MODULES].

%% None has an on_load function: with such, changed by several at once, the stock code server comes to wait for ever.
compiled(M, V) ->
    Text = lists:concat([
        "-module(", M, "). -export([version/0, literal/0, all/0, fun_of/0, loop/1, deep/1, take/1, traced/1]). ",
        "version() -> ", V, ". ",
        "literal() -> {", V, ", [a, \"text of version ", V, "\", #{", M, " => ", V, "}, <<", V, ":800>>, ",
        V, ".5, ", V, " bsl 100], ", V, "}. ",
        "all() -> {version(), literal(), fun_of()}. ",
        "fun_of() -> fun(X) -> {", V, ", X, literal()} end. ",
        "loop(Parent) -> M = monitor(process, Parent), wait(M). ",
        "wait(M) -> receive {'DOWN', M, _, _, _} -> ok; {From, go} -> From ! {self(), version()}, ",
        M, ":wait(M) end. ",
        "deep(0) -> version(); deep(N) -> V = deep(N - 1), V = version(). ",
        "take(F) -> F(version()). ",
        "traced(X) -> try inner(X) catch throw:Y -> Y end. ",
        "inner(X) when X rem 3 =:= 0 -> throw({thrown, X}); inner(X) -> {inner, X}. "]),
    {ok, M, Code} = compile:forms(forms(Text ++ " -export([wait/1])."), [return_errors]),
    Code.

forms(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    Forms = split(Tokens, []),
    {Attributes, Functions} = lists:partition(fun(F) -> element(1, F) =:= attribute end, Forms),
    Attributes ++ Functions.

split([], []) -> [];
split([{dot, _} = Dot | Rest], Form) ->
    {ok, F} = erl_parse:parse_form(lists:reverse(Form, [Dot])),
    [F | split(Rest, [])];
split([T | Rest], Form) -> split(Rest, [T | Form]).

actions() ->
    [{load, fun load/0}, {load_prepared, fun load_prepared/0}, {soft_purge, fun soft_purge/0}, {purge, fun purge/0},
     {delete_code, fun delete/0}, {call_code, fun call/0}, {deep_call, fun deep/0}, {funs, fun funs/0},
     {literals, fun literals/0}, {run, fun run/0}, {check_code, fun check/0}, {check_code_later, fun check_later/0},
     {module_info, fun info/0}, {persistent, fun persistent/0}].

module() -> one_of(?MODULES).
code(M) -> code(M, rand:uniform(?VERSIONS)).
code(M, V) -> maps:get({M, V}, persistent_term:get(storm_code)).

%% Some modules are the code server's; with the others all do what it does, beside each other.
is_served(M) -> lists:member(M, [storm_m3, storm_m4]).
free() -> one_of([storm_m1, storm_m2]).

load() -> load(module()).
load(M) ->
    case is_served(M) of
        true -> code:load_binary(M, "storm", code(M));
        false -> load_freely(M)
    end.

load_freely(M) ->
    case erlang:load_module(M, code(M)) of
        {module, M} -> ok;
        {error, not_purged} -> ok
    end.

load_prepared() ->
    M = free(),
    Prepared = erlang:prepare_loading(M, code(M)),
    wait(rand:uniform(2) - 1),
    case erlang:finish_loading([Prepared]) of
        ok -> ok;
        {not_purged, [M]} -> ok
    end.

soft_purge() -> soft_purge(module()).
soft_purge(M) ->
    true = is_boolean(case is_served(M) of
                          true -> code:soft_purge(M);
                          false -> erts_code_purger:soft_purge(M)
                      end).

%% Whoever runs it is killed, the caller too.
purge() -> purge(module()).
purge(M) -> case is_served(M) of true -> code:purge(M); false -> erts_code_purger:purge(M) end.

delete() -> delete(module()).
delete(M) ->
    case is_served(M) of
        true -> erlang:check_old_code(M) orelse code:delete(M);
        false -> erlang:check_old_code(M) orelse erlang:delete_module(M)
    end.

%% Not there, or it goes just now.
gone(F) ->
    try F()
    catch
        error:undef -> ok;
        error:{badfun, _} -> ok
    end.

is_whole({V, Literal, F}) -> V = is_literal(Literal), {V, x, Other} = gone_fun(F, V, Literal), V = is_literal(Other).

%% The fun's code may have been purged since, and a fun of the same place in other code is another.
gone_fun(F, V, Literal) ->
    try F(x)
    catch
        error:undef -> {V, x, Literal};
        error:{badfun, _} -> {V, x, Literal}
    end.

is_literal({V, [a, Text, Map, Bits, Float, Big], V}) ->
    Text = "text of version " ++ integer_to_list(V),
    [{M, V}] = maps:to_list(Map),
    true = lists:member(M, ?MODULES),
    Bits = <<V:800>>,
    Float = V + 0.5,
    Big = V bsl 100,
    V.

call() -> M = module(), gone(fun() -> is_whole(M:all()) end).

deep() -> M = module(), gone(fun() -> V = M:deep(2000), true = is_integer(V) end).

%% A fun that is kept, in a message too, works as it did, or its code is gone.
funs() ->
    M = module(),
    gone(fun() ->
        F = M:fun_of(),
        Self = self(),
        {P, Ref} = spawn_monitor(fun() -> wait(1), Self ! {self(), gone(fun() -> F(x) end)} end),
        receive
            {P, ok} -> ok;
            {P, {V, x, Literal}} -> V = is_literal(Literal);
            {'DOWN', Ref, _, _, _} -> ok
        end,
        demonitor(Ref, [flush])
    end).

%% Kept in the heap, the dictionary, a message, a table, a timer and a monitor's tag, while their code goes.
literals() ->
    M = module(),
    gone(fun() ->
        L = M:literal(),
        V = element(1, L),
        Tag = make_ref(),
        put(literal, {kept, L}),
        self() ! {Tag, L},
        R = erlang:send_after(1, self(), {Tag, tl(element(2, L))}),
        T = ets:new(storm_literals, [one_of([set, ordered_set])]),
        ets:insert(T, {k, L}),
        Server = storm_any:server(rand:uniform(?SERVERS)),
        catch Server ! {noise, L},
        soft_purge(M),
        try delete(M) catch error:badarg -> ok end,
        soft_purge(M),
        chance(3) andalso garbage_collect(),
        wait(1),
        V = is_literal(L),
        V = is_literal(element(2, erase(literal))),
        receive {Tag, {_, _, _} = L2} -> V = is_literal(L2) end,
        receive {Tag, Tail} -> V = is_literal({V, [a | Tail], V}) end,
        false = erlang:cancel_timer(R),
        [{k, L3}] = ets:lookup(T, k),
        V = is_literal(L3),
        ets:delete(T)
    end).

%% One that runs the code, through changes of it, until it is purged or we are over.
run() ->
    M = module(),
    Self = self(),
    {P, Ref} = spawn_monitor(fun() -> gone(fun() -> M:loop(Self) end) end),
    [P ! {self(), go} || _ <- lists:seq(1, 5)],
    answers(P, Ref, 5),
    load(M),
    exit(P, kill),
    down({P, Ref}).

answers(_, _, 0) -> ok;
answers(P, Ref, N) ->
    receive
        {P, V} when V >= 1, V =< ?VERSIONS -> answers(P, Ref, N - 1);
        {'DOWN', Ref, process, P, Reason} -> self() ! {'DOWN', Ref, process, P, Reason}
    end.

check() -> true = is_boolean(erlang:check_process_code(pid(), module())).

check_later() ->
    Id = make_ref(),
    P = pid(),
    case erlang:check_process_code(P, module(), [{async, Id}, {allow_gc, chance(2)}]) of
        async -> receive {check_process_code, Id, Is} -> true = lists:member(Is, [true, false, aborted]) end;
        Is -> true = lists:member(Is, [true, false, aborted])
    end.

info() ->
    M = module(),
    gone(fun() -> true = is_list(M:module_info(exports)) end),
    erlang:module_loaded(M),
    erlang:check_old_code(M),
    erlang:get_module_info(M, md5).

%% What was got stays, whoever puts and erases.
persistent() ->
    Key = {storm, rand:uniform(4)},
    case rand:uniform(3) of
        1 -> New = rand:uniform(1000), persistent_term:put(Key, {New, lists:seq(1, 50), New});
        2 -> persistent_term:erase(Key);
        3 ->
            case persistent_term:get(Key, none) of
                none -> ok;
                {N, List, _} = Kept -> wait(rand:uniform(3)), {N, List, N} = Kept, List = lists:seq(1, 50)
            end
    end.

calms() ->
    [persistent_term:erase({storm, I}) || I <- lists:seq(1, 4)],
    [begin purge(M), delete(M), purge(M), load(M) end || M <- ?MODULES].
