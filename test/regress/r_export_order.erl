%% The exports of a module are listed in stock's order also when the module calls its own exports by name.
-module(r_export_order).
-export([main/0]).

main() -> [io:format("~p~n", [exports(Module)]) || Module <- [order_a, order_b]].

exports(Module) ->
    Call = fun(Name, Args) -> {call, 1, {remote, 1, {atom, 1, Module}, {atom, 1, Name}}, Args} end,
    Function = fun(Name, Body) -> {function, 1, Name, 0, [{clause, 1, [], [], Body}]} end,
    {ok, Module, Code} = compile:forms([{attribute, 1, module, Module}, {attribute, 1, export, [{g, 0}, {f, 0}, {h, 0}]},
                                        Function(h, [Call(module_info, []), Call(f, []), Call(absent, [])]),
                                        Function(f, [Call(h, [])]), Function(g, [Call(f, [])])]),
    {module, Module} = code:load_binary(Module, "", Code),
    Module:module_info(exports).
