%% Every module of stdlib and of the compiler is replaced by itself while the compiler works: it notices nothing.
-module(code_reload).
-export([main/0, compile_all/1]).

main() ->
    _ = logger:set_primary_config(level, none),
    Sources = [source(M) || M <- [queue, proplists, erl_bits, calendar]],
    Expected = compile_all(Sources),
    Main = self(),
    Worker = spawn_link(fun() -> work(Main, Sources, Expected, 1) end),
    Applications = [stdlib, compiler],
    [code:unstick_dir(filename:join(code:lib_dir(A), "ebin")) || A <- Applications],
    Modules = [M || A <- Applications, M <- modules(A), erlang:module_loaded(M)],
    Replaced = [M || M <- Modules, replace(M)],
    Worker ! stop,
    receive
        {compiled, Same} -> io:format("all the same: ~p~n", [Same])
    end,
    %% Some are run by a process at each moment that they are looked at.
    io:format("most were replaced: ~p~n", [2 * length(Replaced) > length(Modules)]),
    io:format("still works: ~p~n", [compile_all(Sources) =:= Expected]).

source(M) ->
    filename:join([code:lib_dir(stdlib), "src", atom_to_list(M) ++ ".erl"]).

modules(Application) ->
    [list_to_atom(filename:basename(F, ".beam"))
     || F <- lists:sort(filelib:wildcard(filename:join(code:lib_dir(Application), "ebin/*.beam")))].

replace(M) ->
    {M, Code, File} = code:get_object_code(M),
    code:soft_purge(M) andalso code:load_binary(M, File, Code) =:= {module, M} andalso M:module_info(module) =:= M.

compile_all(Sources) ->
    [begin
         {ok, _, Code} = compile:file(Source, [binary, deterministic]),
         erlang:md5(Code)
     end || Source <- Sources].

work(Main, Sources, Expected, N) ->
    Same = compile_all(Sources) =:= Expected,
    receive
        stop -> Main ! {compiled, Same}
    after 0 ->
        case Same of
            true -> work(Main, Sources, Expected, N + 1);
            false -> Main ! {compiled, {false, N}}
        end
    end.
