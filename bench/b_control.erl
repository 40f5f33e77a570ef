%% Funs, exceptions, dispatch.
-module(b_control).
-export([group/0, benchmarks/0, add/2, zero/1]).

group() -> sequential.

benchmarks() ->
    Add = fun(X, Y) -> X + Y end,
    Remote = fun ?MODULE:add/2,
    Offset = erlang:monotonic_time() band 1 + 1,
    put(module, ?MODULE),
    Module = get(module), % unknown to the compiler
    [{"funs: call", fun() -> call(3000000, Add, 0) end},
     {"funs: call remote", fun() -> call(3000000, Remote, 0) end},
     {"funs: closures", fun() -> closures(800000, Offset, 0) end},
     {"exceptions: try no throw", fun() -> try_quietly(3000000, 0) end},
     {"exceptions: throw and catch", fun() -> try_throw(400000, 0) end},
     {"exceptions: error in a guard BIF", fun() -> try_error(200000, 0) end},
     {"exceptions: catch deep", fun() -> deep_catch(4000) end},
     {"dispatch: apply", fun() -> apply_loop(2000000, Module, add, 0) end},
     {"dispatch: remote call", fun() -> remote_loop(3000000, 0) end},
     {"dispatch: case on atoms", fun() -> atoms(2000000, red, 0) end},
     {"dispatch: case on integers", fun() -> integers(3000000, 0) end},
     {"dispatch: tagged tuples", fun() -> machine(2000000, {push, 1}, []) end}].

add(X, Y) -> X + Y.
zero(_) -> 0.

call(0, _, Sum) -> Sum;
call(N, Fun, Sum) -> call(N - 1, Fun, Fun(Sum, 1)).

closures(0, _, Sum) -> Sum;
closures(N, Offset, Sum) -> closures(N - 1, Offset, apply_one(fun(X) -> X + Offset + N end, Sum band 255)).

apply_one(Fun, X) -> Fun(X).

try_quietly(0, Sum) -> Sum;
try_quietly(N, Sum) ->
    Next = try add(Sum, 1) catch throw:_ -> 0 end,
    try_quietly(N - 1, Next).

try_throw(0, Sum) -> Sum;
try_throw(N, Sum) ->
    Next = try throw({value, Sum + 1}) catch throw:{value, V} -> V end,
    try_throw(N - 1, Next).

try_error(0, Sum) -> Sum;
try_error(N, Sum) ->
    Next = try hd(element(1, {Sum})) catch error:badarg -> Sum + 1 end,
    try_error(N - 1, Next).

deep_catch(0) -> ok;
deep_catch(N) -> caught = (catch deep(50)), deep_catch(N - 1).

deep(0) -> throw(caught);
deep(N) -> [deep(N - 1)].

apply_loop(0, _, _, Sum) -> Sum;
apply_loop(N, M, F, Sum) -> apply_loop(N - 1, M, F, M:F(Sum, 1)).

remote_loop(0, Sum) -> Sum;
remote_loop(N, Sum) -> remote_loop(N - 1, ?MODULE:add(Sum, 1)).

atoms(0, _, Sum) -> Sum;
atoms(N, Atom, Sum) -> atoms(N - 1, next(Atom), Sum + value(Atom)).

next(red) -> orange;
next(orange) -> yellow;
next(yellow) -> green;
next(green) -> blue;
next(blue) -> indigo;
next(indigo) -> violet;
next(violet) -> red.

value(violet) -> 7;
value(red) -> 1;
value(green) -> 4;
value(orange) -> 2;
value(indigo) -> 6;
value(yellow) -> 3;
value(blue) -> 5.

integers(0, Sum) -> Sum;
integers(N, Sum) ->
    Step = case N rem 10 of
               0 -> 3; 1 -> 1; 2 -> 4; 3 -> 1; 4 -> 5; 5 -> 9; 6 -> 2; 7 -> 6; 8 -> 5; 9 -> 3
           end,
    integers(N - 1, Sum + Step).

machine(0, _, Stack) -> Stack;
machine(N, {push, X}, Stack) -> machine(N - 1, {dup, N}, [X | Stack]);
machine(N, {dup, _}, [X | _] = Stack) -> machine(N - 1, {add, N, N}, [X | Stack]);
machine(N, {add, _, _}, [X, Y | Stack]) -> machine(N - 1, pop, [(X + Y) band 1023 | Stack]);
machine(N, pop, [X | Stack]) -> machine(N - 1, {push, X}, Stack).
