%% Compiled patterns are kept here, for who runs their text again: a thousand of them, however large they were. Large
%% ones held forty megabytes for ever.
-module(r_regex_cache_bytes).
-export([main/0]).

-define(PATTERNS, 1500).

main() ->
    {ok, _} = re:compile("a"),
    Before = erlang:memory(system),
    Matches = [N || N <- lists:seq(1, ?PATTERNS), matches(N)],
    io:format("~p of ~p~n", [length(Matches), ?PATTERNS]),
    io:format("~p~n", [wait_for(fun() -> erlang:memory(system) - Before < 24000000 end, 50)]).

%% Fifty thousand bytes, once it is compiled.
matches(N) ->
    Text = integer_to_binary(N),
    Pattern = [[Text, "[a-z]x" | lists:duplicate(1500, "[^ab]")], "|", Text],
    re:run(<<"a ", Text/binary>>, Pattern, [{capture, first, binary}]) =:= {match, [Text]}.

wait_for(Condition, Times) ->
    Condition() orelse (Times > 0 andalso begin timer:sleep(20), wait_for(Condition, Times - 1) end).
