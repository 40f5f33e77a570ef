%% Binding native libraries: every refusal, callbacks at load, upgrade, purge and delete.
-module(nif_load).
-export([main/0]).

-define(LIBRARIES, [good, other_name, missing, arity, flags, dirty, twice, no_upgrade, no_load, minor15, no_entry,
                    major1, major3, minor99, minor99_erts, minor5, minor3, variant, options, no_init, not_a_file]).

main() ->
    [print({Library, with_module(Library, 0)}) || Library <- ?LIBRARIES],
    [print({Result, with_module(good, Result)}) || Result <- [1, -1, 17, 0]],
    [print({arguments, A, catch_error(fun() -> erlang:load_nif(A, 0) end)})
     || A <- [foo, 1, [a], "", [0], [256], [16#110000], [16#d800], <<"x">>, ["x"], ["./", ["x" | "y"], []], [$x | y],
              <<1:3>>, <<"a", 0>>, {}]],
    callers(),
    again(),
    upgrades(),
    declared(),
    on_load(),
    local_function(),
    info().

%% A module nif_load (another instance of this name) that loads a library.
source(Extra) -> source(Extra, "").
source(Extra, Attributes) ->
    "-module(nif_load_m).\n-export([load/2, which/0, f/0]).\n" ++ Attributes ++
    "load(L, I) -> erlang:load_nif(L, I).\n"
    "which() -> erlang:nif_error(not_loaded).\n"
    "f() -> which().\n" ++ Extra.

compile(Source) ->
    {ok, Tokens, _} = erl_scan:string(Source),
    {ok, M, Code} = compile:forms([begin {ok, F} = erl_parse:parse_form(T), F end || T <- split(Tokens, [])], []),
    {M, Code}.
split([], []) -> [];
split([{dot, _} = D | Rest], Form) -> [lists:reverse([D | Form]) | split(Rest, [])];
split([T | Rest], Form) -> split(Rest, [T | Form]).

path(Library) -> filename:join(os:getenv("NIF_LIBRARIES"), "nif_load_" ++ atom_to_list(Library)).

print(Term) ->
    Text = lists:flatten(io_lib:format("~0tp", [Term])),
    io:put_chars(string:replace(string:replace(Text, os:getenv("NIF_LIBRARIES"), "DIR", all), "(2.17)", "(2.16)")),
    io:nl().

catch_error(F) -> try F() catch C:R:S -> {C, R, [{M, Fn, A} || {M, Fn, A, _} <- lists:sublist(S, 2), M =/= ?MODULE]} end.

fresh(M) -> code:purge(M), code:delete(M), code:purge(M).

with_module(Library, Info) ->
    {M, Code} = compile(source("")),
    fresh(M),
    {module, M} = code:load_binary(M, "m", Code),
    R = catch_error(fun() -> M:load(path(Library), Info) end),
    W = catch_error(fun() -> {M:which(), M:f()} end),
    fresh(M),
    {R, W}.

%% load_nif/2 is for the module that calls it, by an instruction of its own.
callers() ->
    print({other_module, erlang:load_nif(path(good), 0)}),
    print({known_apply, apply(erlang, load_nif, [path(good), 0])}),
    print({a_fun, hd([F(path(good), 0) || F <- [fun erlang:load_nif/2]])}),
    {M, Code} = compile("-module(nif_load_c).\n-export([f/2]).\nf(F, A) -> X = apply(F, A), {X}.\n"),
    {module, M} = code:load_binary(M, "c", Code),
    [print({applied, L, M:f(fun erlang:load_nif/2, [path(L), 0])}) || L <- [good, not_a_file]],
    fresh(M).

load_fresh(Extra) ->
    {M, Code} = compile(source(Extra)),
    fresh(M),
    {module, M} = code:load_binary(M, "m", Code),
    {M, Code}.

again() ->
    {M, _} = load_fresh(""),
    print({first, M:load(path(good), 0)}),
    [print({again, L, M:load(path(L), 0)}) || L <- [good, second, not_a_file]],
    fresh(M).

upgrades() ->
    {M, Code} = load_fresh(""),
    print([{L, M:load(path(L), 0), M:which()} || L <- [good]]),
    {module, M} = code:load_binary(M, "m", Code),
    [print({upgrade, L, I, M:load(path(L), I), catch_error(fun M:which/0)})
     || {L, I} <- [{no_upgrade, 0}, {no_load, 0}, {second, 5}, {other_name, 0}]],
    print({upgrade, M:load(path(second), 0), M:which()}),
    %% What is old now has a library, what comes has none, and the next one has nothing to upgrade from.
    code:purge(M),
    {module, M} = code:load_binary(M, "m", Code),
    code:purge(M),
    {module, M} = code:load_binary(M, "m", Code),
    print({no_library_before, M:load(path(good), 0), M:which()}),
    {Old, OldCode} = compile(source("loop() -> receive {P, L} -> P ! {self(), erlang:load_nif(L, 0)}, loop() end.\n"
                                    "start() -> spawn(fun() -> loop() end).\n", "-export([start/0]).\n")),
    code:purge(Old),
    {module, Old} = code:load_binary(Old, "m", OldCode),
    Pid = Old:start(),
    code:purge(Old),
    {module, Old} = code:load_binary(Old, "m", OldCode),
    [begin Pid ! {self(), path(L)}, print({old, L, receive {Pid, R} -> R end}) end || L <- [good, not_a_file]],
    exit(Pid, kill),
    fresh(M).

declared() ->
    [begin
         {M, Code} = compile(source("", Declaration)),
         fresh(M),
         {module, M} = code:load_binary(M, "m", Code),
         print({Declaration, M:load(path(good), 0), catch_error(fun M:f/0)}),
         fresh(M)
     end || Declaration <- ["-nifs([which/0]).\n", "-nifs([f/0]).\n", "-nifs([which/0, f/0]).\n-nifs([load/2]).\n"]].

%% The library is loaded by the on_load function, and by one that then fails.
on_load() ->
    [begin
         put_term({L, 0, Result}),
         {M, Code} = compile(source("start() -> {L, I, R} = persistent_term:get(nif_load),\n"
                                    "   persistent_term:put(nif_load, erlang:load_nif(L, I)), R.\n",
                                    "-on_load(start/0).\n")),
         fresh(M),
         Loaded = code:load_binary(M, "m", Code),
         print({on_load, L, Result, Loaded, persistent_term:get(nif_load), catch_error(fun() -> M:which() end)}),
         fresh(M)
     end || {L, Result} <- [{good, ok}, {good, no}, {missing, ok}, {dirty, ok}]].
put_term({L, I, R}) -> persistent_term:put(nif_load, {path(L), I, R}).

%% A function that is not exported, called by the module only.
local_function() ->
    {M, Code} = compile("-module(nif_load_m).\n-export([load/2, f/0]).\n-compile(no_auto_import).\n"
                        "load(L, I) -> erlang:load_nif(L, I).\nf() -> {inside, which()}.\n"
                        "which() -> erlang:nif_error(not_loaded).\n"),
    fresh(M),
    {module, M} = code:load_binary(M, "m", Code),
    print({M:load(path(good), 0), M:f(), erlang:function_exported(M, which, 0)}),
    fresh(M).

info() ->
    {M, _} = load_fresh(""),
    print([M:module_info(nifs), M:load(path(good), 0), M:module_info(nifs), M:module_info(functions),
           erlang:is_builtin(M, which, 0), (fun M:which/0)(), apply(M, which, []), spawn_call(M)]),
    print([{K, V} || {K, V} <- erlang:fun_info(fun M:which/0)]),
    fresh(M).
spawn_call(M) -> {_, R} = spawn_monitor(fun() -> exit(M:which()) end), receive {'DOWN', R, _, _, X} -> X end.
