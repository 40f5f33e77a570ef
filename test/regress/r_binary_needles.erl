%% Many needles at once: some that begin alike were each tried at each place, for seconds, with the scheduler held. What
%% is found, and that the time does not grow with how many there are (it was 20 s for the largest of these).
-module(r_binary_needles).
-export([main/0]).

main() ->
    rand:seed(exsss, {1, 2, 3}),
    [io:format("~p ~p~n", [Longest, erlang:phash2([random(Longest) || _ <- lists:seq(1, 800)])])
     || Longest <- [2, 5, 40, 200]],
    [io:format("~p~n", [R]) || R <- [many(), long(), words(), nested(), bytes()]],
    ok.

%% From few letters, so that they overlap, contain each other, and are equal.
random(Longest) ->
    Letters = rand:uniform(3),
    Any = fun(N) -> list_to_binary([$a + rand:uniform(Letters) || _ <- lists:seq(1, rand:uniform(N))]) end,
    Needles = [Any(Longest) || _ <- lists:seq(1, rand:uniform(12))],
    Subject = Any(300),
    Compiled = binary:compile_pattern(Needles),
    From = rand:uniform(byte_size(Subject)) - 1,
    Scope = {scope, {From, rand:uniform(byte_size(Subject) - From)}},
    {binary:match(Subject, Needles), binary:matches(Subject, Compiled), binary:split(Subject, Needles, [global]),
     binary:matches(Subject, Needles, [Scope]), binary:match(Subject, Compiled, [Scope])}.

many() ->
    Subject = binary:copy(<<"a">>, 240000),
    Needles = [<<"aaaaaaa", (integer_to_binary(I))/binary>> || I <- lists:seq(1, 10000)],
    {binary:match(Subject, Needles), binary:matches(<<Subject/binary, "1234">>, Needles)}.

long() ->
    Needles = [<<(binary:copy(<<"b">>, 20000))/binary, I>> || I <- lists:seq(1, 10)],
    {binary:matches(binary:copy(<<"b">>, 200000), Needles),
     binary:matches(<<(binary:copy(<<"b">>, 200000))/binary, 7>>, Needles)}.

words() ->
    Words = [<<"word", (integer_to_binary(I * I, 36))/binary>> || I <- lists:seq(1, 3000)],
    Text = iolist_to_binary([[W, " wor words "] || W <- Words]),
    {length(binary:matches(Text, Words)), erlang:phash2(binary:split(Text, Words, [global, trim_all]))}.

%% Each is the beginning, or the end, of the next.
nested() ->
    Beginnings = [binary:copy(<<"c">>, I) || I <- lists:seq(1, 300)],
    Ends = [<<(binary:copy(<<"d">>, I))/binary, "e">> || I <- lists:seq(0, 300)],
    Subject = iolist_to_binary([binary:copy(<<"c">>, 1000), binary:copy(<<"d">>, 1000), "e"]),
    {binary:matches(Subject, Beginnings), binary:matches(Subject, Ends), binary:matches(Subject, Beginnings ++ Ends)}.

%% More children of one node than are looked at one by one.
bytes() ->
    Needles = [<<"x", I, J>> || I <- lists:seq(0, 255), J <- [I, 255 - I]],
    Subject = list_to_binary([[$x, I, J] || I <- lists:seq(0, 255), J <- lists:seq(0, 255, 5)]),
    {length(binary:matches(Subject, Needles)), erlang:phash2(binary:matches(Subject, Needles))}.
