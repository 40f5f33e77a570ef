-module(bif_identifiers).
-export([main/0, f/1]).
-include("c.hrl").

main() ->
    Bad = [a, 1, [], "x", <<>>],
    [each(erlang, F, Bad) || F <- [pid_to_list, port_to_list, ref_to_list, fun_to_list, list_to_pid, list_to_port, list_to_ref]],
    each(erlang, list_to_pid, ["<0.1.0>", "<0.123.4>", "<0.1.0", "<0.1.0>x", " <0.1.0>", "<0.1>", "<0.-1.0>", "<7777777.1.0>", "<0.1.0.0>",
                               "<..>", "<0.01.0>", [$<, a], [$< | a]]),
    each(erlang, list_to_port, ["#Port<0.1>", "#Port<0.123456>", "#Port<0.1", "#Port<0.1>x", "#Port<>", "#port<0.1>"]),
    each(erlang, list_to_ref, ["#Ref<0.1.2.3>", "#Ref<0.1.2>", "#Ref<0.1.2.3>x", "#Ref<0.1.2.3.4.5>", "#Ref<0.4294967296.1.1>",
                               "#Ref<0.4294967296.1.1>", "#Ref<0.1.2.262144>"]),
    io:format("~w~n", [[list_to_pid(pid_to_list(self())) =:= self(), pid_to_list(list_to_pid("<0.77.3>")),
                        is_pid(list_to_pid("<0.77.3>")), node(list_to_pid("<0.77.3>"))]]),
    R = make_ref(),
    io:format("~w~n", [[list_to_ref(ref_to_list(R)) =:= R, ref_to_list(list_to_ref("#Ref<0.1.2.3>")), node(R)]]),
    Y = 7,
    Funs = [fun f/1, fun ?MODULE:f/1, fun erlang:abs/1, fun(X) -> X + Y end, fun() -> {Y, R =:= 1} end, fun no:such/3],
    Items = [module, name, arity, index, new_index, new_uniq, uniq, type, foo, 1],
    pairs(erlang, fun_info, [F || F <- Funs] ++ [a], Items),
    io:format("~w~n", [[{length(element(2, erlang:fun_info(F, env))), element(2, erlang:fun_info(F, pid)) =:= self()} || F <- Funs]]),
    io:format("~w~n", [[[K || {K, _} <- erlang:fun_info(F)] || F <- Funs]]),
    io:format("~p~n", [[erlang:fun_to_list(F) || F <- Funs]]),
    each(erlang, fun_info_mfa, Funs ++ [a]),
    [c(erlang, make_fun, [M, F, A]) || M <- [a, "a"], F <- [b, 1], A <- [0, 1, 255, 256, -1, x, 1 bsl 70]],
    io:format("~w~n", [[(erlang:make_fun(erlang, abs, 1))(-5), fun erlang:abs/1 =:= erlang:make_fun(erlang, abs, 1)]]).

f(X) -> X.
