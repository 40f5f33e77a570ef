-module(r_forged_references).
-export([main/0]).

%% References of this node that nobody made are refused when they are read, as by stock: with a first number of more than
%% 18 bits, whose upper ones would stand for the second's, or of four numbers. Those of other nodes may have any.

main() ->
    Timer = erlang:start_timer(100000, self(), never),
    {A, B, C} = numbers(Timer),
    try read(nonode@nohost, [A bor ((B band 1) bsl 18) bor (1 bsl 19), B band (bnot 3), C]) of
        Forged -> io:format("read: ~w~n", [{Forged =:= Timer, erlang:cancel_timer(Forged)}])
    catch
        error:badarg -> io:format("refused~n")
    end,
    io:format("~w~n", [is_integer(erlang:cancel_timer(Timer))]),
    [io:format("~w ~w ~w~n", [Node, Numbers, try_read(Node, Numbers)])
     || Node <- [nonode@nohost, 'a@b'],
        Numbers <- [[1], [16#3ffff], [16#40000], [1, 2], [16#40000, 2], [1, 2, 3], [16#3ffff, 16#ffffffff, 7],
                    [16#40000, 2, 3], [16#ffffffff, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5, 6]]],
    io:format("~w~n", [binary_to_term(term_to_binary(make_ref())) =:= make_ref()]),
    R = make_ref(),
    io:format("~w~n", [binary_to_term(term_to_binary(R)) =:= R]),
    Alias = alias(),
    io:format("~w~n", [binary_to_term(term_to_binary(Alias)) =:= Alias]).

numbers(Ref) ->
    <<131, 90, 3:16, 100, 13:16, "nonode@nohost", 0:32, A:32, B:32, C:32>> = term_to_binary(Ref, [{minor_version, 1}]),
    {A, B, C}.

read(Node, Numbers) ->
    Name = atom_to_binary(Node),
    binary_to_term(<<131, 90, (length(Numbers)):16, 119, (byte_size(Name)), Name/binary, 0:32,
                     << <<N:32>> || N <- Numbers >>/binary>>).

try_read(Node, Numbers) ->
    try is_reference(read(Node, Numbers)) catch error:badarg -> refused end.
