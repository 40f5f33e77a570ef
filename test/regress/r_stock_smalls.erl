%% Integers from 2^59 on are bignums on the stock runtime, which its functions refuse where they ask for a small one.
-module(r_stock_smalls).
-export([main/0]).

main() ->
    [io:format("~p ~p: ~p~n", [Name, N, answer(Function, N)]) || {Name, Function} <- functions(), N <- numbers()].

numbers() -> [Sign * ((1 bsl Bits) + More) || Bits <- [59, 60, 63, 64], More <- [-1, 0, 1], Sign <- [1, -1]].

functions() ->
    [{is_record, fun(N) -> is_record({a, b}, a, N) end},
     {is_record_of_none, fun(N) -> is_record([], a, N) end},
     {keyfind, fun(N) -> lists:keyfind(a, N, [{a, b}]) end},
     {keymember, fun(N) -> lists:keymember(a, N, [{a, b}]) end},
     {keysearch, fun(N) -> lists:keysearch(a, N, []) end},
     {function_exported, fun(N) -> erlang:function_exported(lists, keyfind, N) end},
     {is_builtin, fun(N) -> erlang:is_builtin(lists, keyfind, N) end},
     {bump_reductions, fun(N) -> erlang:bump_reductions(N) end},
     {is_function, fun(N) -> {is_function(fun numbers/0, N), is_function(a, N)} end},
     {matched, fun(N) -> [tested(Test, N) || Test <- [is_function, is_record]] end}].

answer(Function, N) ->
    try Function(N)
    catch Class:Reason:Stack -> {Class, Reason, element(2, hd(Stack))}
    end.

%% In a guard and in a body.
tested(Test, N) ->
    Call = list_to_tuple([Test, '$1'] ++ [a || Test =:= is_record] ++ [N]),
    [ets:test_ms({Value}, [{{'$1'}, Guards, [Body]}])
     || Value <- [{a, b}, fun numbers/0], {Guards, Body} <- [{[Call], true}, {[], Call}]].
