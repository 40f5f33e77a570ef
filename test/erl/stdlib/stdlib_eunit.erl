%% EUnit runs, and its report of what fails is the same.
-module(stdlib_eunit).
-include_lib("eunit/include/eunit.hrl").
-export([main/0, helper/1]).

main() ->
    io:format("~p~n", [eunit:test(?MODULE, [no_tty])]),
    io:format("~p~n", [eunit:test({generator, fun() -> [?_assertEqual(4, 2 + 2), ?_assert(true)] end}, [no_tty])]),
    [io:format("~p ~0p~n", [Name, outcome(Fun)]) || {Name, Fun} <- failing()],
    io:format("~p~n", [eunit:test([{"a title", fun() -> ok end}, {timeout, 5, fun() -> ok end}, {inparallel, [?_test(ok), ?_test(ok)]}], [verbose])]).

helper(X) -> X + 1.

adds_test() -> ?assertEqual(3, helper(2)).
matches_test() -> ?assertMatch({ok, _}, {ok, 1}).
raises_test() -> ?assertError(badarith, helper(a)).
many_test_() -> [?_assertEqual(N + 1, helper(N)) || N <- lists:seq(1, 20)].
fixture_test_() ->
    {setup, fun() -> ets:new(t, [public]) end, fun(T) -> ets:delete(T) end,
     fun(T) -> [?_assert(ets:insert(T, {a, 1})), ?_assertEqual([{a, 1}], ets:lookup(T, a))] end}.
each_test_() -> {foreach, fun() -> 1 end, [fun(X) -> ?_assertEqual(1, X) end, fun(X) -> ?_assertNotEqual(2, X) end]}.

outcome(Fun) ->
    try Fun()
    catch error:{Kind, Info} -> {Kind, [{K, V} || {K, V} <- Info, K =/= line, K =/= unexpected_exception]}
    end.

failing() ->
    [{equal, fun() -> ?assertEqual(1, helper(1)) end}, {match, fun() -> ?assertMatch([_ | _], []) end},
     {throws, fun() -> ?assertThrow(x, throw(y)) end}, {assert, fun() -> ?assert(1 > helper(1)) end}].
