%% Literals of modules and persistent terms count as memory of the system. They did not count at all.
-module(r_literal_memory).
-export([main/0]).

-define(MUCH, 1500000). % bytes: less than half of what is made, so that nothing else matters

main() ->
    Code = code(),
    {module, large} = erlang:load_module(large, Code), % the loader itself is there from now on
    gone(),
    First = settled(),
    io:format("a module ~p~n", [grown(First, fun() -> {module, large} = erlang:load_module(large, Code) end)]),
    gone(),
    io:format("it goes ~p~n", [back(First, 100)]),
    Then = settled(),
    io:format("a term ~p~n", [grown(Then, fun() -> persistent_term:put(large, lists:seq(1, 200000)) end)]),
    persistent_term:erase(large),
    io:format("it goes ~p~n", [back(Then, 100)]).

grown(Before, Fun) ->
    Fun(),
    settled() - Before > ?MUCH.

back(Before, N) ->
    case settled() - Before < ?MUCH of
        false when N > 0 -> back(Before, N - 1);
        IsBack -> IsBack
    end.

%% What is going, goes a while later.
settled() -> settled(erlang:memory(system), 0).
settled(Memory, 20) -> Memory;
settled(Memory, N) ->
    timer:sleep(20),
    erlang:garbage_collect(),
    Now = erlang:memory(system),
    case abs(Now - Memory) < ?MUCH div 10 of
        true -> settled(Memory, N + 1);
        false -> settled(Now, 0)
    end.

gone() ->
    erlang:delete_module(large),
    code:purge(large).

code() ->
    Forms = [{attribute, 1, module, large}, {attribute, 1, export, [{v, 0}]},
             {function, 1, v, 0, [{clause, 1, [], [], [erl_parse:abstract(lists:seq(1, 200000))]}]}, {eof, 1}],
    {ok, large, Code} = compile:forms(Forms, []),
    Code.
