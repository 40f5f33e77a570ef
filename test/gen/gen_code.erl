%% Random sessions with modules: prepared, finished in lists, loaded, deleted, purged, by one process and seen by
%% others that run their code, hold their funs and literals, wait in them. After each step all that can be asked of the
%% modules and the processes is printed. VIV_SEED chooses the seed, VIV_CASES the number of lines.
-module(gen_code).
-export([main/0, worker/1]).

-define(MODULES, [gca, gcb, gcc]).

main() ->
    logger:set_primary_config(level, none),
    rand:seed(exsss, env("VIV_SEED", 1)),
    [begin code:delete(M), code:purge(M) end || M <- ?MODULES],
    put(codes, maps:from_list([{{M, V, O}, code(M, V, O)}
                               || M <- ?MODULES, V <- [1, 2, 3], O <- [none, ok, no, error]])),
    put(prepared, []),
    put(workers, [start(I) || I <- [1, 2, 3, 4]]),
    loop(1, env("VIV_CASES", 1500) div 5).

env(Name, Default) -> case os:getenv(Name) of false -> Default; Text -> list_to_integer(Text) end.

loop(I, N) when I > N -> ok;
loop(I, N) ->
    {Op, Fun} = operation(),
    Result = try Fun() catch C:R:S -> {C, R, [{M, F} || {M, F, _, _} <- lists:sublist(S, 1)]} end,
    io:format("~b ~0p -> ~0p~n", [I, Op, Result]),
    [io:format("  ~0p~n", [state(M)]) || M <- ?MODULES],
    io:format("  ~0p~n", [[seen(W) || W <- get(workers)]]),
    loop(I + 1, N).

one(L) -> lists:nth(rand:uniform(length(L)), L).

code(M, V, OnLoad) ->
    Text = integer_to_list(V),
    Texts = ["-module(" ++ atom_to_list(M) ++ ").",
             "-export([v/0, wait/0, call/1, make/1, lit/0, only" ++ Text ++ "/0, deep/1])."] ++
        case OnLoad of
            none -> [];
            ok -> ["-on_load(init/0).", "init() -> ok."];
            no -> ["-on_load(init/0).", "init() -> no."];
            error -> ["-on_load(init/0).", "init() -> error(oops)."]
        end ++
        ["v() -> " ++ Text ++ ".",
         "only" ++ Text ++ "() -> yes.",
         "wait() -> receive {go, W} -> W end.",
         "call(F) -> X = F(), {called, X, v()}.",
         "make(X) -> fun(Y) -> {X, Y, " ++ Text ++ "} end.",
         "deep(0) -> receive {go, W} -> W end;", "deep(N) -> [N | deep(N - 1)].",
         "lit() -> {literal, [" ++ Text ++ ", \"text\"], #{a => {1.5e300, <<\"bytes\">>}}}."],
    {ok, M, Code} = compile:forms(forms(lists:flatten(lists:join("\n", Texts))), [return_errors]),
    Code.

forms(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    [begin {ok, F} = erl_parse:parse_form(T), F end || T <- split(Tokens, [])].
split([], []) -> [];
split([{dot, _} = D | Rest], Form) -> [lists:reverse([D | Form]) | split(Rest, [])];
split([T | Rest], Form) -> split(Rest, [T | Form]).

code_of(M) ->
    K = {M, V, O} = {M, one([1, 2, 3]), one([none, none, none, none, none, ok, no, error])},
    {{V, O}, map_get(K, get(codes))}.

operation() ->
    M = one(?MODULES),
    case rand:uniform(28) of
        N when N =< 3 ->
            {What, Code} = code_of(M),
            {{load_binary, M, What}, fun() -> code:load_binary(M, "", Code) end};
        N when N =< 6 ->
            {What, Code} = code_of(M),
            {{load_module, M, What}, fun() -> on_load(erlang:load_module(M, Code), M) end};
        N when N =< 9 ->
            {What, Code} = code_of(M),
            {{prepare, M, What}, fun() ->
                 put(prepared, [erlang:prepare_loading(M, Code) | get(prepared)]),
                 length(get(prepared))
             end};
        N when N =< 12 ->
            case get(prepared) of
                [] -> {nothing, fun() -> ok end};
                L ->
                    Which = [rand:uniform(length(L)) || _ <- lists:seq(1, one([1, 1, 2, 2, 3]))],
                    {{finish, Which}, fun() -> on_load(erlang:finish_loading([lists:nth(I, L) || I <- Which]), none) end}
            end;
        13 -> {drop, fun() -> put(prepared, lists:sublist(get(prepared), 3)), garbage_collect() end};
        14 ->
            Which = [one(?MODULES) || _ <- lists:seq(1, one([1, 2, 3]))],
            List = [{X, code_of(X)} || X <- Which],
            {{atomic_load, [{X, W} || {X, {W, _}} <- List]},
             fun() -> any_order(code:atomic_load([{X, "f", C} || {X, {_, C}} <- List])) end};
        N when N =< 16 -> {{delete_module, M}, fun() -> erlang:delete_module(M) end};
        17 -> {{delete, M}, fun() -> code:delete(M) end};
        N when N =< 19 -> {{purge, M}, fun() -> code:purge(M) end};
        N when N =< 21 -> {{soft_purge, M}, fun() -> code:soft_purge(M) end};
        22 -> {{purge_module, M}, fun() -> erlang:purge_module(M) end};
        N when N =< 26 -> worker_operation(M);
        27 -> {{info, M}, fun() -> lists:sort(M:module_info(exports)) end};
        28 -> {{md5, M}, fun() -> binary:encode_hex(erlang:get_module_info(M, md5)) end}
    end.

%% What erlang:finish_loading/1 and load_module/2 ask for. Left alone, it stays pending, and the stock runtime leaves
%% exports of it behind when something else is loaded then.
on_load({on_load, [M]}, _) ->
    R = try erlang:call_on_load_function(M) catch C:E -> {C, E} end,
    {on_load, M, R, erlang:finish_after_on_load(M, R =:= ok)};
on_load({error, on_load}, M) -> on_load({on_load, [M]}, M);
on_load(Other, _) -> Other.

%% They are prepared in processes of their own.
any_order({error, Reasons}) -> {error, lists:sort(Reasons)};
any_order(Other) -> Other.

worker_operation(M) ->
    I = rand:uniform(4),
    What = one([wait, call, make, lit, deep, run, go, forget, keep_table, kill, hibernate]),
    {{worker, I, What, M}, fun() -> work(I, What, M) end}.

start(I) -> spawn(?MODULE, worker, [I]).

pid(I) -> lists:nth(I, get(workers)).
replace(I) ->
    L = get(workers),
    {A, [_ | B]} = lists:split(I - 1, L),
    put(workers, A ++ [start(I) | B]).

work(I, kill, _) -> finish(pid(I)), replace(I), killed;
work(I, What, M) ->
    P = pid(I),
    case is_process_alive(P) of
        false -> replace(I), started;
        true -> P ! {What, M}, settled(P)
    end.

finish(P) -> Ref = monitor(process, P), exit(P, kill), receive {'DOWN', Ref, process, P, R} -> R end.

%% Until it waits, or is gone.
settled(P) ->
    case process_info(P, [status, message_queue_len, current_function]) of
        undefined -> ended;
        [{status, waiting}, {message_queue_len, N}, {current_function, {M, _, _}}]
          when M =:= ?MODULE; M =:= gca; M =:= gcb; M =:= gcc -> {waiting, N};
        [{status, waiting}, {message_queue_len, 0}, {current_function, {erlang, hibernate, 3}}] -> {waiting, 0};
        _ -> receive after 1 -> settled(P) end
    end.

%% A worker keeps what it was told to. It waits within modules with messages {go, _}.
worker(I) -> worker(I, []).
worker(I, Kept) ->
    receive
        {wait, M} -> worker(I, tried(fun() -> M:wait() end, Kept));
        {deep, M} -> worker(I, tried(fun() -> M:deep(100) end, Kept));
        {call, M} -> worker(I, tried(fun() -> M:call(fun() -> receive {go, X} -> X end end) end, Kept));
        {hibernate, M} -> erlang:hibernate(M, wait, []);
        {make, M} -> worker(I, tried(fun() -> M:make(I) end, Kept));
        {lit, M} -> worker(I, tried(fun() -> M:lit() end, Kept));
        {run, _} -> worker(I, [run(K) || K <- Kept]);
        {forget, _} -> garbage_collect(), worker(I, []);
        {go, _} -> worker(I, Kept);
        {keep_table, _} -> put(kept, Kept), worker(I, Kept);
        {tell, To} -> To ! {self(), digest(Kept)}, worker(I, Kept)
    end.

%% The last five that it got.
tried(F, Kept) -> lists:sublist([try F() catch C:R:S -> {C, R, top(S)} end | Kept], 5).
top([{M, F, _, _} | _]) -> {M, F}.

run(F) when is_function(F, 1) -> tried(fun() -> {F(x), F} end, []);
run(Other) -> Other.

digest(Kept) -> [seen_of(K) || K <- Kept].
seen_of(F) when is_function(F) -> {'fun', erlang:fun_info(F, name), erlang:fun_info(F, arity)};
seen_of({X, F}) when is_function(F) -> {X, 'fun'};
seen_of([{X, F}]) when is_function(F) -> {X, 'fun'};
seen_of([X | _]) when is_integer(X) -> list; % improper
seen_of(Other) -> Other.

state(M) ->
    {M, try M:v() catch error:undef -> undef end, erlang:module_loaded(M), erlang:check_old_code(M),
     [F || F <- [v, only1, only2, only3, wait], erlang:function_exported(M, F, 0)], code:is_loaded(M),
     [try check_process_code(P, M) catch error:badarg -> badarg end || P <- get(workers)],
     lists:member(M, erlang:loaded())}.

seen(P) ->
    case process_info(P, [status, current_function, message_queue_len]) of
        [{status, waiting}, {current_function, {?MODULE, worker, 2}}, {message_queue_len, 0}] ->
            P ! {tell, self()},
            receive {P, Told} -> Told after 60000 -> {no_answer, process_info(P)} end;
        [{status, waiting}, {current_function, {M, F, A}}, N] -> {M, F, A, N};
        undefined -> gone;
        _ -> receive after 1 -> seen(P) end % it has just been asked what it runs, or is ending
    end.
