%% A message to a pid, port or reference of an earlier run of this node is for nobody: that is reported, with all of it.
-module(r_discarded_messages).
-export([main/0, log/2]).

main() ->
    ok = logger:add_handler(teller, ?MODULE, #{config => self()}),
    ok = logger:remove_handler(default),
    Old = earlier(self()),
    Sends = [fun() -> Old ! hello end, fun() -> erlang:send(Old, {1, "a", <<"b">>, #{c => 4.0}}) end,
             fun() -> erlang:send(Old, x, [noconnect, nosuspend]) end, fun() -> erlang:send_nosuspend(Old, [], []) end,
             fun() -> Old ! lists:seq(1, 5000) end, fun() -> earlier(make_ref()) ! x end,
             fun() -> earlier(open_port({spawn, "cat"}, [])) ! {self(), close} end,
             fun() -> Old ! last end],
    [io:format("~0tP~n", [plain(Send()), 20]) || Send <- Sends],
    told().

told() ->
    receive
        {Level, {Format, [Text]}, Metadata} ->
            Plain = re:replace(Text, "(<|#Ref<|#Port<)[0-9.]+>|\\([0-9]+\\)", "\\1id", [global, {return, list}]),
            io:format("~p ~p ~p ~ts", [Level, Format, Metadata, Plain]),
            string:find(Text, "last") =/= nomatch orelse told()
    end.

plain({Pid, close}) when Pid =:= self() -> {self, close};
plain(Other) -> Other.

log(#{level := Level, msg := Message, meta := Metadata}, #{config := Teller}) ->
    Teller ! {Level, Message, maps:with([error_logger], Metadata)}.

%% The last four bytes are the creation, but for references.
earlier(Ref) when is_reference(Ref) ->
    <<131, 90, Count:16, Rest/binary>> = term_to_binary(Ref),
    Words = 4 * Count,
    Node = binary:part(Rest, 0, byte_size(Rest) - Words - 4),
    <<Creation:32, Numbers/binary>> = binary:part(Rest, byte_size(Node), Words + 4),
    binary_to_term(<<131, 90, Count:16, Node/binary, (Creation + 1):32, Numbers/binary>>);
earlier(Term) ->
    Bytes = term_to_binary(Term),
    Before = byte_size(Bytes) - 4,
    <<Start:Before/binary, Creation:32>> = Bytes,
    binary_to_term(<<Start/binary, (Creation + 1):32>>).
