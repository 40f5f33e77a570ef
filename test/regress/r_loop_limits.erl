%% Test suites set how far a search in a binary, a match or a conversion goes at once: what came of it is the same.
-module(r_loop_limits).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    Limits = [default, 10, 20, 0, -1, 1, default, 1 bsl 70, x],
    [io:format("~p~n", [{Which, [limit(Which, L) || L <- Limits]}])
     || Which <- [binary_loop_limit, re_loop_limit, unicode_loop_limit]],
    Before = results(),
    [begin
         [limit(Which, L) || Which <- [binary_loop_limit, re_loop_limit, unicode_loop_limit]],
         io:format("~p~n", [results() =:= Before])
     end || L <- [10, 1000, default]],
    io:format("~p~n", [Before]).

limit(Which, L) -> try erts_debug:set_internal_state(Which, L) catch error:E -> E end.

results() ->
    Text = binary:copy(<<"abcabd">>, 2000),
    Long = lists:duplicate(1000, [$a, 16#e5, 16#4e2d]),
    [binary:match(Text, [<<"abx">>, <<"bda">>]), length(binary:matches(Text, <<"abc">>)),
     length(binary:split(Text, <<"d">>, [global])), erlang:phash2(binary:replace(Text, <<"bd">>, <<"!">>, [global])),
     binary:longest_common_prefix([<<0:10000, 1, 2>>, <<0:10000, 1, 3>>]),
     binary:longest_common_suffix([<<1, 0:10000>>, <<2, 0:10000>>]), byte_size(binary:copy(Text, 10)),
     re:run(Text, "(a|ab)(c|bcd)*d$", [{capture, first}]), re:run(Text, "x"),
     byte_size(unicode:characters_to_binary(Long)), length(unicode:characters_to_list([Text, Long])),
     element(1, unicode:characters_to_binary([Long, <<255>>]))].
