%% enif_port_command leaves the message's environment as it is, be it the call's own: it emptied it, so that a second
%% command wrote what was freed, and ended the runtime for the call's. And a module's name is nothing to a type.
-module(r_nif_port_command).
-export([main/0, twice/2, by_own/2]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    P = open_port({spawn, "cat"}, [binary]),
    Bytes = binary:copy(<<"abcdefgh">>, 3),
    Large = binary:copy(<<"0123">>, 100),
    [io:format("~p~n", [{F, ?MODULE:F(P, What) =:= Answer, heard(P, Times * iolist_size(What), [])}])
     || What <- [Bytes, Large, [Bytes, "x" | Large]], {F, Answer, Times} <- [{twice, {1, 1, What}, 2}, {by_own, 1, 1}]].

twice(_, _) -> not_loaded.
by_own(_, _) -> not_loaded.

heard(_, Left, Heard) when Left =< 0 -> erlang:md5(lists:reverse(Heard));
heard(P, Left, Heard) ->
    receive {P, {data, Bytes}} -> heard(P, Left - byte_size(Bytes), [Bytes | Heard])
    after 60000 -> {missing, Left}
    end.
