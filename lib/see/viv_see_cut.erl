%% Terms of a size that may be sent and shown: what is too deep, too long or too large is cut, and the cut is seen.
%%
%% It is the atom '...' in its place: the tail of a list, the last element of a tuple, the only pair left out of a map;
%% of a binary {'...', Bytes, Beginning}.
-module(viv_see_cut).
-export([term/1]).

-define(DEPTH, 8).
-define(WIDTH, 64).
-define(BYTES, 512).

-spec term(term()) -> term().
term(Term) -> cut(Term, ?DEPTH).

cut(Term, _) when is_atom(Term); is_number(Term); is_pid(Term); is_reference(Term); is_port(Term) -> Term;
cut(Bits, _) when is_bitstring(Bits) ->
    case byte_size(Bits) > ?BYTES of
        true -> {'...', byte_size(Bits), binary:copy(binary:part(whole(Bits), 0, ?BYTES))};
        false -> Bits
    end;
cut([], _) -> [];
cut({}, _) -> {};
cut(_, 0) -> '...';
cut(List, Depth) when is_list(List) -> elements(List, Depth - 1, ?WIDTH);
cut(Tuple, Depth) when is_tuple(Tuple), tuple_size(Tuple) =< ?WIDTH ->
    list_to_tuple([cut(Element, Depth - 1) || Element <- tuple_to_list(Tuple)]);
cut(Tuple, Depth) when is_tuple(Tuple) ->
    list_to_tuple([cut(element(N, Tuple), Depth - 1) || N <- lists:seq(1, ?WIDTH)] ++ ['...']);
cut(Map, Depth) when is_map(Map) -> pairs(maps:next(maps:iterator(Map)), Depth - 1, ?WIDTH, #{});
cut(Fun, _) when is_function(Fun) ->
    {module, Module} = erlang:fun_info(Fun, module), % what it has in it stays where it is
    {name, Name} = erlang:fun_info(Fun, name),
    {arity, Arity} = erlang:fun_info(Fun, arity),
    {'fun', Module, Name, Arity}.

whole(Bits) when is_binary(Bits) -> Bits;
whole(Bits) ->
    Size = byte_size(Bits) - 1,
    <<Whole:Size/binary, _/bitstring>> = Bits,
    Whole.

elements([_ | _], _, 0) -> '...';
elements([Head | Tail], Depth, Left) -> [cut(Head, Depth) | elements(Tail, Depth, Left - 1)];
elements([], _, _) -> [];
elements(Tail, Depth, _) -> cut(Tail, Depth).

pairs(none, _, _, Cut) -> Cut;
pairs(_, _, 0, Cut) -> Cut#{'...' => '...'};
pairs({Key, Value, Next}, Depth, Left, Cut) ->
    pairs(maps:next(Next), Depth, Left - 1, Cut#{cut(Key, Depth) => cut(Value, Depth)}).
