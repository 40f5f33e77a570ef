%% heard(N, More, Next): what so many messages tell, however long they take, and what else comes before nothing has for
%% More milliseconds. Next(Milliseconds) waits for one that long, and tells a list of what it has heard with it; [] where
%% it has not come. heard(N, More): messages of all kinds, as they are.
%% patience(N, More): how long one waits while so many are to come; nobody for ever: what is missing is to be shown.
-compile({nowarn_unused_function, [heard/2, heard/3, patience/2]}).

heard(N, More) -> heard(N, More, fun(Wait) -> receive Message -> [Message] after Wait -> [] end end).

heard(N, More, Next) ->
    case Next(patience(N, More)) of
        [] -> [];
        Heard -> Heard ++ heard(N - 1, More, Next)
    end.

patience(N, _) when N > 0 -> 60000;
patience(_, More) -> More.
