%% A library that writes a text of N characters with its NUL into a binary of N bytes, as there are: nothing else is
%% touched, at any size.
-module(r_nif_text_behind_binary).
-export([main/0, text/1]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), "r_nif_text_behind_binary"), 0),
    Texts = [text(N) || _ <- [1, 2, 3], N <- lists:seq(65, 600)],
    io:format("~p~n", [lists:usort([T =:= binary:copy(<<"x">>, byte_size(T)) || T <- Texts])]).

text(_) -> erlang:nif_error(not_loaded).
