%% Native options of sockets of which a negative number of bytes is wanted. The stock runtime answers the same, when it
%% has cleared as much memory as the number says without its sign: that takes long.
-module(viv_socket_lengths_tests).
-include_lib("eunit/include/eunit.hrl").

negative_test_() ->
    [?_assertEqual(Answer, of_new(Option, Length))
     || Length <- [-1, -(1 bsl 31)],
        {Option, Answer} <- [{{tcp, nodelay}, {error, einval}}, {{ip, tos}, {error, einval}},
                             {{999, 1}, {error, enotsup}}]].

of_new(Option, Length) ->
    {ok, Socket} = socket:open(inet, stream),
    Answer = socket:getopt_native(Socket, Option, Length),
    ok = socket:close(Socket),
    Answer.
