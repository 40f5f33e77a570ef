%% Numbers that the loader once bounded elsewhere than stock: choices, files of lines, labels, keys in registers.
-module(r_loader_limits).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    [io:format("~w choices, ~w: ~w~n", [N, Kind, run(choices(N, Kind), 5, [1, N, N + 1, -1, a])])
     || N <- [65535, 65536, 70000], Kind <- [dense, sparse]],
    [io:format("file ~w: ~w~n", [N, run(files(N), 4, [a])]) || N <- [1, 254, 255, 256, 300]],
    [io:format("~w labels: ~w~n", [N, run([{move, {atom, labels}, {x, 0}}, return], N, [a])])
     || N <- [1000, 2000, 5000, 100000, 1000000]],
    [io:format("~w: ~w~n", [Keys, run(keys(Keys), 4, [#{a => 1, b => 2, c => 3}])])
     || Keys <- [[{atom, a}], [{x, 1}], [{atom, a}, {atom, b}], [{x, 1}, {atom, a}], [{atom, a}, {x, 1}],
                 [{atom, a}, {atom, b}, {x, 1}], [{x, 1}, {x, 2}], []]].

run(Code, Labels, Arguments) ->
    Function = {function, f, 1, 2, [{label, 1}, {func_info, {atom, limits}, {atom, f}, 1}, {label, 2} | Code]},
    {ok, File} = beam_asm:module({limits, [{f, 1}], [], [Function], Labels}, [], [], []),
    _ = code:delete(limits),
    code:purge(limits),
    case code:load_binary(limits, "limits", File) of
        {module, limits} -> [try limits:f(A) catch error:E:S -> {E, element(4, hd(S))} end || A <- Arguments];
        Error -> Error
    end.

choices(N, Kind) ->
    Step = case Kind of dense -> 1; sparse -> 1001 end,
    [{select_val, {x, 0}, {f, 3}, {list, lists:append([[{integer, (I - 1) * Step + 1}, {f, 4}] || I <- lists:seq(1, N)])}},
     {label, 3}, {move, {atom, none}, {x, 0}}, return, {label, 4}, {move, {atom, one}, {x, 0}}, return].

files(N) ->
    Lines = [[{line, [{location, "file_" ++ integer_to_list(I), I}]}, {test, is_ne_exact, {f, 3}, [{x, 0}, {integer, I}]}]
             || I <- lists:seq(1, N)],
    lists:append(Lines) ++ [{gc_bif, '+', {f, 0}, 1, [{x, 0}, {integer, 1}], {x, 0}}, {label, 3}, return].

keys(Keys) ->
    [{move, {atom, c}, {x, 1}}, {move, {atom, b}, {x, 2}}, {move, {atom, a}, {x, 3}},
     {get_map_elements, {f, 3}, {x, 0}, {list, lists:append([[K, {x, 2 + I}] || {I, K} <- lists:zip(lists:seq(1, length(Keys)), Keys)])}}, {move, {x, 3}, {x, 0}}, return,
     {label, 3}, {move, {atom, no}, {x, 0}}, return].
