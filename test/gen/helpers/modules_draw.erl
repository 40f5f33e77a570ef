%% What the shapes of large modules draw: numbers beside the limits of the file format and of loaders.
-module(modules_draw).
-export([r/1, one/1, some/2, near/1, join/2, n/1, text/1]).

r(N) -> rand:uniform(N) - 1.
one(L) -> lists:nth(rand:uniform(length(L)), L).
some(N, Draw) -> [Draw() || _ <- lists:seq(1, N)].

%% A number just below or above one of the powers of two.
near(Bits) -> max(1, (1 bsl one(Bits)) + r(7) - 3).

join(Separator, Parts) -> lists:join(Separator, Parts).
n(N) -> integer_to_list(N).
text(Lines) -> unicode:characters_to_list(Lines).
