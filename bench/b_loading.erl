%% From the bytes of a .beam file to code that could be published.
-module(b_loading).
-export([group/0, benchmarks/0]).

group() -> loading.

benchmarks() ->
    [{"loading: prepare " ++ atom_to_list(Module), fun() -> prepare(Times, Module, Code) end}
     || {Module, Times} <- [{lists, 30}, {io_lib_pretty, 60}, {erl_lint, 6}, {erl_parse, 6}, {beam_ssa_opt, 10}],
        Code <- [code_of(Module)]].

code_of(Module) ->
    {ok, Code} = file:read_file(code:which(Module)),
    Code.

prepare(0, _, _) -> ok;
prepare(N, Module, Code) ->
    Prepared = erlang:prepare_loading(Module, Code),
    false = erlang:has_prepared_code_on_load(Prepared),
    prepare(N - 1, Module, Code).
