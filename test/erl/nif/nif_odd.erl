%% What load_nif/2 says to libraries with odd entries, to files that are no libraries, and to odd paths.
-module(nif_odd).
-export([main/0]).
-include("n.hrl").

main() ->
    [said({What, N}, fun() -> entry(lists:concat([What, " ", N])) end)
     || {What, Ns} <- [{count, [0, 1, 2, 3, 4]}, {no_functions, [0]}, {major, [0, 1, 2, 3, -1, 16#7fffffff]},
                       {minor, lists:seq(-1, 16) ++ [18, 19, 16#7fffffff, -16#80000000]},
                       {options, [0, 1, 2, 3, 4, -1]}, {sizeof, [0, 1, 1000000, -1]}, {no_erts, [0]}, {erts, [0, 4]},
                       {name, lists:seq(0, 10)}, {variant, [0, 2, 3, 4]}, {no_load, [0]},
                       {flags, [0, 1, 2, 3, 4, 7, 8, 256, -1]}, {arity, [1, 2, 255, 256, 1023, -1, 1 bsl 32]},
                       {function, lists:seq(0, 10)}, {no_address, [0]}],
        N <- Ns],
    os:putenv("NIF_ODD", ""),
    files(),
    [said({path, P}, fun() -> load(P) end) || P <- paths()].

said(Name, Fun) ->
    Text = lists:flatten(io_lib:format("~0tp", [try Fun() catch C:R:S -> {C, R, top(hd(S))} end])),
    Short = lists:foldl(fun({From, To}, T) -> string:replace(T, From, To, all) end, Text,
                        [{os:getenv("NIF_LIBRARIES"), "LIBRARIES"}, {dir(), "DIR"}, {"(2.17)", "(2.16)"}]),
    io:format("~0p: ~ts~n", [Name, Short]).

entry(Odd) ->
    os:putenv("NIF_ODD", Odd),
    {load(library("nif_odd")), nif_odd_m:which(), nif_odd_m:'å'()}.

load(Path) ->
    new_code(),
    nif_odd_m:load(Path, 0).

new_code() ->
    Code = compiled(["-module(nif_odd_m).", "-export([load/2, which/0, which/1, 'å'/0]).",
                     "load(L, I) -> erlang:load_nif(L, I).", "which() -> not_loaded.", "which(_) -> not_loaded.",
                     "'å'() -> not_loaded."]),
    [F(nif_odd_m) || F <- [fun code:purge/1, fun code:delete/1, fun code:purge/1]],
    {module, nif_odd_m} = code:load_binary(nif_odd_m, "m", Code).

dir() -> "/tmp/nif_odd." ++ os:getpid().

%% A good library with a byte of its header changed, parts of one, and other things.
files() ->
    {ok, Good} = file:read_file(library("nif_odd") ++ ".so"),
    ok = file:make_dir(dir()),
    Files = [{empty, <<>>}, {text, <<"just text\n">>}, {magic, <<127, "ELF">>}, {zeros, <<0:80000>>}] ++
        [{{part, N}, binary:part(Good, 0, N)} || N <- [3, 63, 64, 100]] ++
        [{{At, Byte}, set(Good, At, Byte)}
         || {At, Byte} <- [{4, 1}, {5, 2}, {6, 0}, {7, 9}, {16, 1}, {16, 2}, {16, 4}, {18, 183}, {18, 3}, {54, 1}]],
    try
        [said({file, Name}, fun() -> ok = file:write_file(file(N), Bytes), load(filename:rootname(file(N))) end)
         || {N, {Name, Bytes}} <- lists:zip(lists:seq(1, length(Files)), Files)],
        ok = file:make_dir(file(dir)),
        ok = file:make_symlink(filename:basename(file(circle)), file(circle)),
        ok = file:make_symlink("nothing", file(dangling)),
        [said({file, N}, fun() -> load(filename:rootname(file(N))) end) || N <- [dir, circle, dangling, none]]
    after
        os:putenv("NIF_ODD", ""),
        file:del_dir_r(dir())
    end.

file(N) -> lists:concat([dir(), "/", N, ".so"]).

set(Bytes, At, Byte) ->
    <<Before:At/binary, _, After/binary>> = Bytes,
    <<Before/binary, Byte, After/binary>>.

paths() ->
    Good = library("nif_odd"),
    ["", "/", ".", "..", "/nowhere/", "/nowhere/x\n", "//nowhere", lists:duplicate(300, $x), ["/now" | <<"here">>],
     <<"/nowhere">>, [["/now"], "here"], [<<"/nowhere">>], "/nowhere\0", [0 | "/nowhere"], "/nowhere" ++ [256], "/nowhere/å",
     <<"/nowhere/å"/utf8>>, <<"/nowhere/", 255>>, [16#10ffff], [-1], [1.0], [a | b], "~/x", "$HOME/x", <<1:1>>, <<>>,
     '/nowhere', ["a", $b, ["c"], []], {$a}, #{}, 1.5, 1 bsl 70] ++
        [P || P <- [Good], load(P) =/= ok, load([$/ | P]) =/= ok, load(list_to_binary(P)) =/= ok, load([[P]]) =/= ok].
