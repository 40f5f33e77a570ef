%% What process_info tells of binaries is in one order, whatever collections come between: they turned it round.
-module(r_binaries_stay).
-export([main/0]).

main() ->
    Kept = [binary:copy(<<I>>, 100 + I) || I <- lists:seq(1, 8)],
    [begin
         garbage_collect(self(), [{type, Type}]),
         {binary, Before} = process_info(self(), binary),
         _ = [binary:copy(<<I>>, 200) || I <- lists:seq(1, 3)],
         garbage_collect(self(), [{type, Type}]),
         {binary, After} = process_info(self(), binary),
         io:format("~p~n", [{Type, Before =:= After, [Size || {_, Size, _} <- After]}])
     end || Type <- [major, major, major]],
    erlang:phash2(Kept).
