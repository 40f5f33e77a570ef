%% A built-in function that is the last call, and fails after it has gone on in other slices, shows its caller in the
%% stack trace: that was gone where it yielded.
-module(r_last_call_yields).
-compile([export_all, nowarn_export_all]).

main() ->
    List = lists:duplicate(300000, a) ++ tail,
    Bad = bad_term(300000),
    [io:format("~p~n", [{F, trace(F, List)}])
     || F <- [member, framed_member, keyfind, keymember, keysearch, reverse, append, subtract, from_list, binary, text,
              size, to_list]],
    [io:format("~p~n", [{F, trace(F, Bad)}]) || F <- [term, framed_term, safe_term]],
    io:format("~p~n", [{calls_itself, calls_itself(20, 0)}]).

trace(F, Argument) ->
    try ?MODULE:F(Argument)
    catch Class:Reason:Stack -> {Class, Reason, [frame(Frame) || Frame <- lists:takewhile(fun is_below/1, Stack)]}
    end.

is_below(Frame) -> element(2, Frame) =/= trace.

frame({Module, Function, Arguments, Where}) when is_list(Arguments) ->
    frame({Module, Function, length(Arguments), Where});
frame({lists, Function, Arity, _}) -> {lists, Function, Arity};
frame({Module, Function, Arity, Where}) -> {Module, Function, Arity, proplists:get_value(line, Where)}.

member(List) -> lists:member(b, List).
framed_member(List) ->
    Kept = ?MODULE:id(b),
    ?MODULE:id(List),
    lists:member(Kept, List).
keyfind(List) -> lists:keyfind(b, 1, List).
keymember(List) -> lists:keymember(b, 1, List).
keysearch(List) -> lists:keysearch(b, 1, List).
reverse(List) -> lists:reverse(List, []).
append(List) -> List ++ [].
subtract(List) -> List -- [b].
from_list(List) -> list_to_tuple(List).
binary(List) -> list_to_binary(List).
text(List) -> unicode:characters_to_binary(List).
size(List) -> iolist_size(List).
to_list(List) -> list_to_bitstring(List).

term(Bad) -> binary_to_term(Bad).
framed_term(Bad) ->
    Kept = ?MODULE:id(Bad),
    ?MODULE:id(keep),
    binary_to_term(Kept).
safe_term(Bad) -> binary_to_term(Bad, [safe]).

id(X) -> X.

%% The frames that wait are as many as the calls that have not returned.
calls_itself(0, Found) -> Found;
calls_itself(N, Found) ->
    List = lists:duplicate(10000, a),
    calls_itself(N - 1, case found(List) of true -> Found; false -> Found + 1 end).

found(List) -> lists:member(b, List).

%% A tuple whose last element, an atom, ends too early.
bad_term(Size) ->
    <<131, Atom/binary>> = term_to_binary(an_atom),
    list_to_binary([131, 105, <<Size:32>>, lists:duplicate(Size - 1, Atom), [100, 255, 255, "oops"]]).
