%% A page of the server that is traced: it counts its calls, so that one can say whether each was told.
-module(served_page).
-export([out/1]).

out(_) ->
    counters:add(persistent_term:get(served_page), 1, 1),
    {html, io_lib:format("<p>~p</p>", [lists:seq(1, 20)])}.
