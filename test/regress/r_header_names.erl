%% Names of header fields as decode_packet/3 writes them, and atoms that are too long in more than one way.
-module(r_header_names).
-export([main/0]).

main() ->
    Names = ["-a", "--a", "---a", "a--b", "Content---TYPE", "a1b-1c-c", "1abc", "a.b-c", "x-Y-z", "-", "--", "CONTENT-type"]
        ++ [lists:duplicate(N, C) || N <- [49, 50, 51, 60], C <- "aA"] ++ [lists:duplicate(47, $a) ++ "-bC"],
    [io:format("~p~n", [field(N)]) || N <- Names],
    Zeros = fun(N) -> binary:copy(<<0>>, N) end,
    Texts = [<<(Zeros(N))/binary, End/binary>> || N <- [253, 254, 255, 256, 512, 1020],
                                                   End <- [<<>>, <<255>>, <<194>>, <<255, 0>>, <<195, 169>>]]
        ++ [<<255, (Zeros(N))/binary>> || N <- [10, 300, 1019, 1020, 2000]]
        ++ [<<(Zeros(N))/binary, 1:3>> || N <- [10, 255, 300]],
    [io:format("~p ~w~n", [bit_size(T), [made(F, T, E) || E <- [utf8, latin1], F <- [binary_to_atom, binary_to_existing_atom]]])
     || T <- Texts].

field(Name) ->
    {ok, {http_header, Number, Field, Sent, "x"}, <<"\r\n">>} =
        erlang:decode_packet(httph, list_to_binary([Name, ": x\r\n\r\n"]), []),
    {Number, Field, Sent =:= Name}.

made(F, Text, Encoding) ->
    try erlang:F(Text, Encoding) of
        Atom when is_atom(Atom) -> length(atom_to_list(Atom))
    catch _:Reason -> Reason
    end.
