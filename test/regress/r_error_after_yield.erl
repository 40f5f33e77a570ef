%% A failure that comes up after the function has gone on in other slices is that of the call that was made.
-module(r_error_after_yield).
-export([main/0]).

main() ->
    Bad = bad_term(300000),
    [io:format("~p~n", [{Name, length(Arguments), failure(Name, Arguments)}])
     || {Name, Arguments} <- [{binary_to_term, [Bad]}, {binary_to_term, [Bad, [safe]]}, {binary_to_term, [Bad, [used]]}]].

failure(Name, Arguments) ->
    try apply(erlang, Name, Arguments)
    catch Class:Reason:Stack ->
            {Module, Function, Given, Location} = hd(Stack),
            {Class, Reason, Module, Function, Given =:= Arguments, Location}
    end.

%% A tuple whose last element, an atom, ends too early.
bad_term(Size) ->
    <<131, Atom/binary>> = term_to_binary(an_atom),
    list_to_binary([131, 105, <<Size:32>>, lists:duplicate(Size - 1, Atom), [100, 255, 255, "oops"]]).
