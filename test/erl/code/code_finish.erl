%% The calls beneath the code server: prepared code of every kind, finished alone, in lists, twice, and with old code in
%% the way. No arguments in stack traces: stock shows what is left of the list.
-module(code_finish).
-export([main/0]).

t(Name, Fun) ->
    Result = try Fun()
             catch
                 C:R:S -> {failed, C, R, [{M, F} || {M, F, _, _} <- lists:sublist(S, 2)]}
             end,
    io:format("~0tp: ~0tp~n", [Name, Result]).

module(M, V, OnLoad) ->
    Forms = [{attribute, 1, module, M}, {attribute, 1, export, [{v, 0}]}] ++
        [{attribute, 1, on_load, {init, 0}} || OnLoad =/= none] ++
        [{function, 1, v, 0, [{clause, 1, [], [], [{integer, 1, V}]}]}] ++
        [{function, 1, init, 0, [{clause, 1, [], [], [erl_parse:abstract(OnLoad)]}]} || OnLoad =/= none],
    {ok, M, Code} = compile:forms(Forms ++ [{eof, 1}], []),
    Code.

prepared(M, V, O) -> erlang:prepare_loading(M, module(M, V, O)).

main() ->
    %% Reports of what is refused go to standard output in one runtime, to standard error in the other.
    _ = logger:set_primary_config(level, none),
    A1 = prepared(qa, 1, none), A2 = prepared(qa, 2, none), B1 = prepared(qb, 1, none),
    C1 = prepared(qc, 1, ok), C2 = prepared(qc, 2, ok),
    t(1, fun() -> erlang:has_prepared_code_on_load(A1) end),
    t(2, fun() -> erlang:has_prepared_code_on_load(C1) end),
    t(3, fun() -> erlang:finish_loading([A1,A1]) end),
    t(4, fun() -> erlang:finish_loading([A1,B1,A2,B1,A2]) end),
    t(5, fun() -> erlang:finish_loading([A1,B1,C1]) end),
    t(6, fun() -> erlang:finish_loading([C1,A1]) end),
    t(7, fun() -> erlang:finish_loading([C1,C1]) end),
    t(8, fun() -> erlang:finish_loading([A1|B1]) end),
    t(9, fun() -> erlang:finish_loading([A1,foo]) end),
    t(10, fun() -> erlang:finish_loading([A1,make_ref()]) end),
    t(11, fun() -> erlang:finish_loading([]) end),
    t(12, fun() -> erlang:finish_loading([A1,B1]) end),
    t(13, fun() -> {qa:v(), qb:v()} end),
    t(14, fun() -> erlang:finish_loading([A1]) end),
    t(15, fun() -> erlang:has_prepared_code_on_load(A1) end),
    t(16, fun() -> erlang:finish_loading([A2]) end),
    t(17, fun() -> qa:v() end),
    A3 = prepared(qa, 3, none), B2 = prepared(qb, 2, none),
    t(18, fun() -> erlang:finish_loading([B2,A3]) end),
    t(19, fun() -> erlang:finish_loading([A3,A3]) end),
    t(20, fun() -> qb:v() end),
    t(21, fun() -> erlang:finish_loading([C1]) end),
    t(22, fun() -> erlang:has_prepared_code_on_load(C1) end),
    t(23, fun() -> erlang:finish_loading([C1]) end),
    t(24, fun() -> {erlang:module_loaded(qc), erlang:check_old_code(qc), erlang:function_exported(qc,v,0)} end),
    t(25, fun() -> erlang:finish_loading([C2]) end),
    t(26, fun() -> erlang:call_on_load_function(qc) end),
    t(27, fun() -> erlang:finish_after_on_load(qc, 'maybe') end),
    t(28, fun() -> erlang:finish_after_on_load(qc, true) end),
    t(29, fun() -> catch qc:v() end),
    t(30, fun() -> erlang:finish_after_on_load(qc, true) end),
    t(31, fun() -> erlang:call_on_load_function(qc) end),
    t(32, fun() -> erlang:call_on_load_function(nosuch) end),
    t(33, fun() -> erlang:call_on_load_function(17) end),
    t(34, fun() -> erlang:delete_module(qa) end),
    t(35, fun() -> erlang:delete_module(qb) end),
    t(36, fun() -> erlang:delete_module(qb) end),
    t(37, fun() -> erlang:delete_module(nosuchmod) end),
    t(38, fun() -> erlang:prepare_loading(qz, module(qa, 1, none)) end),
    t(39, fun() -> erlang:prepare_loading(qa, <<1, 2, 3>>) end),
    t(40, fun() -> erlang:prepare_loading(qa, foo) end),
    t(41, fun() -> erlang:prepare_loading("qa", <<>>) end),
    t(42, fun() -> erlang:prepare_loading(qa, <<1:3>>) end),
    t(43, fun() -> erlang:load_module(qq, module(qq, 1, none)) end),
    t(44, fun() -> erlang:load_module(qq, module(qq, 2, none)) end),
    t(45, fun() -> erlang:load_module(qq, module(qq, 3, none)) end),
    t(46, fun() -> erlang:load_module(qq, <<>>) end),
    t(47, fun() -> erlang:load_module(qo, module(qo, 1, ok)) end),
    t(48, fun() -> erlang:load_module(qo2, module(qo2, 1, bad)) end),
    t(49, fun() -> code:is_loaded(qo) end),
    t(50, fun() -> qo:v() end),
    t(51, fun() -> qo2:v() end),
    obstacles().

%% Which are named, and in what order; what is refused leaves no module behind.
obstacles() ->
    Names = [ra, rb, rc],
    Finish = fun(Ms) -> erlang:finish_loading([prepared(M, 1, none) || M <- Ms]) end,
    t(52, fun() -> [Finish(Names), Finish(Names)] end),
    [t({not_purged, Ms}, fun() -> Finish(Ms) end) || Ms <- [[ra, rb], [rb, ra], [rc, new, ra, rb], Names]],
    [t({duplicated, Ms}, fun() -> Finish(Ms) end)
     || Ms <- [[ra, rb, ra, rb], [rb, ra, ra, rb, rc, rc, rc], [new, newer, newer, new], [new, ra, new]]],
    t(53, fun() -> erlang:delete_module(new) end),
    t(54, fun() -> {erlang:module_loaded(new), lists:member(new, erlang:loaded()), erlang:check_old_code(new)} end),
    Spent = prepared(rd, 1, ok),
    t(55, fun() -> erlang:finish_loading([Spent]) end),
    t(56, fun() -> erlang:finish_loading([Spent, prepared(re, 1, none)]) end),
    t(57, fun() -> erlang:finish_loading([prepared(re, 1, none), Spent, prepared(rf, 1, ok)]) end),
    t(58, fun() -> {erlang:call_on_load_function(rd), erlang:finish_after_on_load(rd, true)} end),
    %% What is deleted counts as loaded until it is purged.
    Loaded = fun() -> [M || M <- Names, lists:member(M, erlang:loaded())] end,
    t(59, fun() -> [erts_code_purger:purge(M) || M <- Names] end),
    t(60, fun() -> {erlang:delete_module(ra), Loaded(), erts_code_purger:purge(ra), Loaded()} end),
    t(61, fun() -> {erlang:delete_module(ra), Loaded()} end).
