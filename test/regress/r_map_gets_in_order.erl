%% What one instruction has fetched from a map is there at the label that the next one goes to, and what comes behind that
%% is not. No compiler of Erlang relies on it.
-module(r_map_gets_in_order).
-export([main/0]).

main() ->
    Get = fun(Key, To) -> {get_map_elements, {f, 3}, {x, 0}, {list, [{atom, Key}, To]}} end,
    Has = fun(Key) -> {test, has_map_fields, {f, 3}, {x, 0}, {list, [{atom, Key}]}} end,
    Maps = [#{}, #{a => 1}, #{b => 2}, #{c => 3}, #{a => 1, b => 2}, #{b => 2, c => 3}, #{a => 1, b => 2, c => 3}],
    [io:format("~p ~p~n", [Number, told(Insns, Maps)]) || {Number, Insns} <-
        [{1, [Get(a, {x, 1}), Has(b)]}, {2, [Has(a), Get(b, {x, 1})]}, {3, [Get(a, {x, 1}), Get(b, {x, 1})]},
         {4, [Get(b, {x, 1}), Get(a, {x, 1})]}, {5, [Get(c, {x, 1}), Has(a), Get(b, {x, 1})]},
         {6, [Get(a, {x, 1}), Get(c, {x, 1}), Get(b, {x, 0})]}]].

told(Insns, Maps) ->
    Code = [{label, 1}, {line, []}, {func_info, {atom, m}, {atom, f}, 2}, {label, 2}, {test, is_map, {f, 1}, [{x, 0}]}] ++
        Insns ++ [{label, 3}, {move, {x, 1}, {x, 0}}, return],
    {ok, m, Beam} = compile:forms({m, [{f, 2}], [], [{function, f, 2, 2, Code}], 4}, [from_asm, no_postopt, binary]),
    {module, m} = code:load_binary(m, "", Beam),
    Answers = [m:f(Map, old) || Map <- Maps],
    true = code:delete(m),
    code:purge(m),
    Answers.
