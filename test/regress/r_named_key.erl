%% Of several keys that a map has not, an update of those that must be there names the first in the order of keys.
-module(r_named_key).
-export([main/0]).

main() ->
    [Small, Large] = [maps:from_list([{N, N} || N <- lists:seq(1, Size)]) || Size <- [5, 100]],
    [io:format("~p~n", [[named(fun() -> Update(Map) end) || Update <- updates()]]) || Map <- [Small, Large]].

updates() ->
    [Integer, Float, Atom] = [id(Term) || Term <- [420, 420.0, atom]],
    [fun(M) -> M#{420.0 := a, 420 := b} end, fun(M) -> M#{420 := a, 420.0 := b} end,
     fun(M) -> M#{420 => a, 420.0 := b} end, fun(M) -> M#{Float := a, Integer := b} end,
     fun(M) -> M#{Integer := a, Float := b} end, fun(M) -> M#{z := a, Atom := b, 1 := c, 999 := d} end,
     fun(M) -> M#{z := a, a := b, 999 := d, 1 := c} end].

named(Update) -> try Update() catch error:{badkey, Key} -> Key end.

id(Term) -> Term.
