%% viv_code:load/1, for test/scenario/code_loading: each check is a case.
-module(code_sets).
-export([main/0]).

-define(RANGE_CHUNKS, 2 * 1792). % bytes: code_leak tells; one of these modules is far larger

main() ->
    register(tester, self()),
    put(passed, 0),
    put(failed, 0),
    first(), failing(), refused(), together(), stock_server(),
    abandoned(), all_abandoned_go(), beside_a_purge(), too_late(),
    io:format("~b passed, ~b failed~n", [get(passed), get(failed)]).

check(Name, Expected, Fun) ->
    case try Fun() catch C:R -> {C, R} end of
        Expected -> put(passed, get(passed) + 1);
        Other ->
            put(failed, get(failed) + 1),
            io:format("FAILED: ~s~n  expected ~p~n  got      ~p~n", [Name, Expected, Other])
    end.

told() -> receive Told -> Told after 0 -> nothing end.

%% A module whose v/0 is Version, and whose on_load function, if any, is an expression.
module(Name, Version, OnLoad) ->
    Forms = [{attribute, 1, module, Name}, {attribute, 1, export, [{v, 0}]}] ++
        [{attribute, 1, on_load, {init, 0}} || OnLoad =/= none] ++
        [{function, 1, v, 0, [{clause, 1, [], [], [erl_parse:abstract(Version)]}]}] ++
        [{function, 1, init, 0, [{clause, 1, [], [], expressions(OnLoad)}]} || OnLoad =/= none],
    {ok, Name, Code} = compile:forms(Forms ++ [{eof, 1}], []),
    {Name, atom_to_list(Name) ++ ".beam", Code}.

expressions(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text ++ "."),
    {ok, Expressions} = erl_parse:parse_exprs(Tokens),
    Expressions.

versions() -> [catch_version(M) || M <- [sa, sb, sc]].

catch_version(M) ->
    try M:v() catch error:undef -> undef end.

first() ->
    B = module(sb, 1, "tester ! {sb, erlang:module_loaded(sa), v()}, ok"),
    C = module(sc, 1, "tester ! {sc, erlang:module_loaded(sb), catch sb:v()}, ok"),
    check("three at once", ok, fun() -> viv_code:load([module(sa, 1, none), B, C]) end),
    check("on_load of the first sees nothing of it", {sb, false, 1}, fun told/0),
    check("on_load of the second runs after it", true,
          fun() -> {sc, false, {'EXIT', {undef, _}}} = told(), true end),
    check("no other ran", nothing, fun told/0),
    check("all are there", [1, 1, 1], fun versions/0).

failing() ->
    Old = fun() -> [erlang:check_old_code(M) || M <- [sa, sb, sc]] end,
    check("an error in on_load", true,
          fun() ->
                  {error, [{sb, {on_load_failure, {'EXIT', {oops, [{sb, init, 0, _} | _]}}}}]} =
                      viv_code:load([module(sa, 2, none), module(sb, 2, "error(oops)")]),
                  true
          end),
    check("on_load that does not return ok", {error, [{sb, {on_load_failure, no}}]},
          fun() -> viv_code:load([module(sc, 2, "ok"), module(sb, 2, "no"), module(sa, 2, "tester ! ran")]) end),
    check("on_load that is killed", {error, [{sb, {on_load_failure, {'EXIT', killed}}}]},
          fun() -> viv_code:load([module(sa, 2, none), module(sb, 2, "exit(self(), kill)")]) end),
    check("later ones do not run", nothing, fun told/0),
    check("nothing was loaded", [1, 1, 1], fun versions/0),
    check("nothing became old", [false, false, false], Old).

refused() ->
    check("twice in the list", {error, [{sa, duplicated}]},
          fun() -> viv_code:load([module(sa, 2, none), module(sb, 2, none), module(sa, 3, none)]) end),
    {_, File, Code} = module(sb, 2, none),
    check("no code", {error, [{sb, badfile}]}, fun() -> viv_code:load([module(sa, 2, none), {sb, File, <<>>}]) end),
    check("another's code", {error, [{sc, badfile}]}, fun() -> viv_code:load([{sc, File, Code}]) end),
    check("no list", {error, badarg}, fun() -> viv_code:load([{sb, File, Code} | sa]) end),
    check("no module", {error, badarg}, fun() -> viv_code:load([{"sb", File, Code}]) end),
    check("nothing", ok, fun() -> viv_code:load([]) end),
    check("nothing was loaded", [1, 1, 1], fun versions/0).

together() ->
    check("on_load sees the code that is current", ok,
          fun() -> viv_code:load([module(sb, 2, "tester ! {sa:v(), sb:v(), v()}, ok"), module(sa, 2, none)]) end),
    check("calls from on_load", {1, 1, 2}, fun told/0),
    check("both are there", [2, 2, 1], fun versions/0),
    check("old code is in the way", {error, [{sa, not_purged}]},
          fun() -> viv_code:load([module(sc, 3, "tester ! ran, ok"), module(sa, 3, none)]) end),
    check("on_load did not run", nothing, fun told/0).

%% From here on the stock server keeps the files.
stock_server() ->
    check("the stock server knows them", {file, "sb.beam"}, fun() -> code:is_loaded(sb) end),
    check("purge", [false, false], fun() -> [code:purge(M) || M <- [sa, sb]] end),
    check("beside the stock server", ok,
          fun() -> viv_code:load([module(sa, 4, "ok"), module(sb, 4, none), module(sd, 4, none)]) end),
    check("it knows the new one", {file, "sd.beam"}, fun() -> code:is_loaded(sd) end),
    check("versions", [4, 4, 1], fun versions/0),
    check("sticky", {error, [{sd, sticky_directory}]},
          fun() ->
                  true = code_server:call({stick_mod, sd}),
                  [code:purge(M) || M <- [sa, sb, sd]],
                  viv_code:load([module(sa, 5, "ok"), module(sd, 5, none)])
          end),
    check("what was begun is given up", ok, fun() -> viv_code:load([module(sa, 6, "ok"), module(sb, 6, none)]) end),
    check("versions after that", [6, 6, 1], fun versions/0).

%% Prepared code whose on_load function was begun, in wrong order and twice.
abandoned() ->
    [code:purge(M) || M <- [sa, sb, sc]],
    Prepare = fun() ->
                      {sa, _, Code} = module(sa, 7, "ok"),
                      erts_internal:prepare_loading(sa, Code)
              end,
    P = Prepare(), Q = Prepare(),
    check("not begun", {error, badarg}, fun() -> viv_code:call_on_load(P) end),
    check("not called", {error, badarg}, fun() -> viv_code:on_load_returned(P) end),
    check("begun", true, fun() -> viv_code:begin_on_load(P) end),
    check("begun twice", {error, badarg}, fun() -> viv_code:begin_on_load(P) end),
    check("another one waits", {error, pending_on_load}, fun() -> viv_code:begin_on_load(Q) end),
    check("finished too early", {not_purged, [sa]}, fun() -> erlang:finish_loading([Q]) end),
    check("begun, and not returned", {error, badarg}, fun() -> erlang:finish_loading([P]) end),
    check("the call", ok, fun() -> viv_code:call_on_load(P) end),
    check("called, and not returned", {error, badarg}, fun() -> erlang:finish_loading([P]) end),
    check("it still counts", true, fun() -> erlang:has_prepared_code_on_load(P) end),
    check("returned", true, fun() -> viv_code:on_load_returned(P) end),
    check("it does not count any more", false, fun() -> erlang:has_prepared_code_on_load(P) end),
    check("given up", ok, fun() -> viv_code:finish_after_on_load(sa, false) end),
    check("spent", {error, badarg}, fun() -> erlang:finish_loading([P]) end),
    check("the other one", [true, ok, true, ok, 7],
          fun() ->
                  [viv_code:begin_on_load(Q), viv_code:call_on_load(Q), viv_code:on_load_returned(Q),
                   erlang:finish_loading([Q]), sa:v()]
          end),
    %% A process that ends in the middle leaves nothing in the way.
    {Pid, Ref} = spawn_monitor(fun() -> viv_code:begin_on_load(Prepare()) end),
    receive {'DOWN', Ref, process, Pid, normal} -> ok end,
    code:purge(sa),
    check("after an abandoned one", ok,
          fun() -> eventually(fun() -> viv_code:load([module(sa, 8, "ok")]) end, 100) end),
    check("its version", 8, fun() -> sa:v() end).

%% Where nobody purges in between they gather, and each purge takes one.
all_abandoned_go() ->
    {se, _, Code} = module(se, lists:seq(1, 1000), "ok"),
    Few = fun(N) -> [abandon(se, Code) || _ <- lists:seq(1, N)], purge_all(se) end,
    Left = fun(Before) -> code_memory:at_most(Before, 0) - Before end,
    Gone = fun(Before) -> case Left(Before) of More when More > ?RANGE_CHUNKS -> {error, More}; _ -> ok end end,
    Go = fun() ->
                 Before = code_memory:settled(),
                 [Few(5) || _ <- lists:seq(1, 10)],
                 eventually(fun() -> Gone(Before) end, 1000)
         end,
    _ = Go(), % what is called for the first time becomes native code
    check("abandoned ones go", ok, Go),
    check("nothing is pending", ok, fun() -> viv_code:load([module(se, 1, "ok")]) end).

%% The one before has not gone as soon as its process says that it ends.
abandon(Module, Code) ->
    Begin = fun() ->
                    Prepared = erts_internal:prepare_loading(Module, Code),
                    eventually(fun() -> viv_code:begin_on_load(Prepared) end, 1000)
            end,
    {Pid, Ref} = spawn_monitor(fun() -> exit(Begin()) end),
    receive {'DOWN', Ref, process, Pid, true} -> ok end.

purge_all(Module) ->
    {WasThere, _} = erts_code_purger:purge(Module),
    WasThere andalso purge_all(Module).

%% The purger waits for one that works long, which it has asked: what it is asked meanwhile is done after.
beside_a_purge() ->
    Failing = module(sg, 1, "no"),
    ok = viv_code:load([module(sf, 1, none)]),
    Tester = self(),
    {Worker, Ref} = spawn_monitor(fun() ->
                                          {One, Other} = {pairs(26), pairs(26)},
                                          Tester ! ready,
                                          One =:= Other
                                  end),
    receive ready -> ok end,
    ok = viv_code:load([module(sf, 2, none)]),
    {_, Purged} = spawn_monitor(fun() -> erts_code_purger:purge(sf) end),
    check("given up beside a purge", {error, [{sg, {on_load_failure, no}}]}, fun() -> viv_code:load([Failing]) end),
    receive {'DOWN', Purged, process, _, normal} -> ok end,
    receive {'DOWN', Ref, process, Worker, normal} -> ok end.

%% Others have loaded the module meanwhile; or have given up what is to be given up.
too_late() ->
    {sh, _, Code} = module(sh, 1, "tester ! {sh, self()}, receive go -> ok end"),
    {_, Ref} = spawn_monitor(fun() -> exit(viv_code:load_binary(sh, Code)) end),
    OnLoad = receive {sh, Pid} -> Pid end,
    [ok = viv_code:load([module(sh, V, none)]) || V <- [2, 3]],
    OnLoad ! go,
    check("loaded meanwhile", {error, on_load_failure}, fun() -> receive {'DOWN', Ref, _, _, Answer} -> Answer end end),
    check("what is current", 3, fun() -> sh:v() end),
    {si, _, Hangs} = module(si, 1, "tester ! {si, self()}, receive go -> ok end"),
    {_, Other} = spawn_monitor(fun() -> exit(viv_code:load_binary(si, Hangs)) end),
    Runs = receive {si, Hanging} -> Hanging end,
    exit(Runs, kill),
    check("it is killed", {error, on_load_failure}, fun() -> receive {'DOWN', Other, _, _, Answer} -> Answer end end),
    check("nothing to give up", ok, fun() -> viv_code:finish_after_on_load(sh, false) end).

pairs(0) -> [];
pairs(N) -> Pair = pairs(N - 1), [Pair | Pair].

eventually(Fun, N) ->
    case Fun() of
        {error, _} when N > 0 -> timer:sleep(10), eventually(Fun, N - 1);
        Result -> Result
    end.
