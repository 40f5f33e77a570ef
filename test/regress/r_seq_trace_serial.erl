%% What seq_trace:set_token(serial, _) answers: what stands in the token, and not what the process has counted.
-module(r_seq_trace_serial).
-export([main/0]).

main() ->
    Echo = spawn(fun echo/0),
    Said = [first() | with_messages(Echo)] ++ [without()],
    seq_trace:set_token([]), % or the words that print them would count
    [io:format("~p~n", [S]) || S <- Said].

echo() -> receive {From, M} -> From ! M, echo() end.

first() -> {seq_trace:set_token(label, 1), now_is()}.

now_is() -> {Flags, Label, Serial, _, Previous} = seq_trace:get_token(), {Flags, Label, Serial, Previous}.

set(Serial) -> {set, seq_trace:set_token(serial, Serial), now_is(), seq_trace:get_token(serial)}.

there_and_back(Echo, Messages) ->
    [Echo ! {self(), M} || M <- Messages],
    [now_is() | [receive M -> now_is() end || M <- Messages]].

with_messages(Echo) ->
    [set({5, 6}), there_and_back(Echo, [x]), set({9, 10}), there_and_back(Echo, [x, y]), set({20, 30}), set({21, 31})].

without() ->
    seq_trace:set_token([]),
    {seq_trace:get_token(), set({1, 2})}.
