%% Functions whose result does not fit what is left of the heap: room is made first, and they are called again. At each
%% distance from the heap's end what they give is right, what else is alive stays, and who traces is told of one call.
-module(r_room_for_results).
-export([main/0, traced/1]).

-define(SIZES, [1, 7, 31, 32, 33, 40, 64, 100, 117, 250, 700]).

main() ->
    [io:format("~w ~w~n", [Name, in_process(fun() -> [at_each_distance(F, Size) || Size <- ?SIZES] end)])
     || {Name, F} <- functions()],
    io:format("kept ~w~n", [in_process(fun() -> keep(300, lists:seq(1, 50), []) end)]),
    io:format("applied ~w~n", [in_process(fun applied/0)]),
    io:format("bad ~w~n", [in_process(fun bad/0)]),
    io:format("traced ~w~n", [trace()]),
    io:format("limited ~w~n", [limited()]).

%% Each takes a size and gives what must be true.
functions() ->
    [{append, fun(N) -> L = lists:seq(1, N), R = L ++ [x | N], R =:= lists:foldr(fun(X, T) -> [X | T] end, [x | N], L) end},
     {reverse, fun(N) -> L = lists:seq(1, N), lists:reverse(lists:reverse(L, tail(N)) -- tail(N)) =:= L end},
     {binary_to_list, fun(N) -> B = << <<X>> || X <- lists:seq(1, N) >>, list_to_binary(binary_to_list(B)) =:= B end},
     {part_of_binary, fun(N) -> B = << <<X>> || X <- lists:seq(1, N) >>, list_to_binary(binary_to_list(B, 1, N)) =:= B end},
     {bits, fun(N) -> B = << <<X>> || X <- lists:seq(1, N) >>, bitstring_to_list(<<B/binary, 5:3>>) =:= binary_to_list(B) ++ [<<5:3>>] end},
     {tuples, fun(N) -> T = list_to_tuple(lists:seq(1, N)), list_to_tuple(tuple_to_list(T)) =:= T andalso tuple_size(T) =:= N end},
     {make_tuple, fun(N) -> T = erlang:make_tuple(N, a, [{N, b}]), element(N, T) =:= b andalso tuple_size(T) =:= N end},
     {maps, fun(N) -> M = maps:from_list([{X, {X}} || X <- lists:seq(1, N)]),
                      lists:zip(maps:keys(M), maps:values(M)) =:= maps:to_list(M) andalso length(maps:keys(M)) =:= N end}].

tail(N) -> [{N}].

%% Ever less is left of the heap; what was alive before is seen after.
at_each_distance(F, Size) ->
    lists:usort([begin
                     Alive = [{Fill, X} || X <- lists:seq(1, Fill)],
                     Right = F(Size),
                     {Right, length([X || {N, X} <- Alive, N =:= Fill]) =:= Fill}
                 end || Fill <- lists:seq(0, 60)]).

keep(0, _, Kept) -> {length(Kept), lists:usort([length(K) || K <- Kept]), lists:usort([lists:sum(K) || K <- Kept])};
keep(N, L, Kept) -> keep(N - 1, L, [lists:reverse(L) ++ [] ++ [N - N] | Kept]).

applied() ->
    {M, F, Reverse} = {id(erlang), id('++'), id(fun lists:reverse/2)},
    lists:usort([begin
                     L = lists:seq(1, N),
                     {length(apply(M, F, [L, [x]])) - N, length(M:F(L, [y])) - N, length(Reverse(L, [])) - N,
                      (catch length(M:F(L, [z])) - N)}
                 end || N <- lists:seq(1, 400)]).

bad() ->
    L = lists:seq(1, 500),
    [try (id(F))() catch error:R -> R end
     || F <- [fun() -> (L ++ id(a)) ++ [] end, fun() -> lists:reverse(L ++ id(a), []) end,
              fun() -> list_to_tuple(L ++ id(a)) end, fun() -> erlang:make_tuple(500, a, [{501, b}]) end,
              fun() -> erlang:make_tuple(500, a, [x]) end]].

%% One that does not fit is called, and told, once.
trace() ->
    Self = self(),
    P = spawn(fun() -> receive go -> Self ! {self(), ?MODULE:traced(lists:seq(1, 1000))} end end),
    erlang:trace(P, true, [call, arity]),
    erlang:trace_pattern({erlang, '++', 2}, [{'_', [], [{return_trace}]}], []),
    erlang:trace_pattern({lists, reverse, 2}, [{'_', [], [{return_trace}]}], []),
    P ! go,
    Sum = receive {P, S} -> S end,
    Delivered = erlang:trace_delivered(P),
    Told = receive {trace_delivered, P, Delivered} -> told(P) end,
    erlang:trace_pattern({'_', '_', '_'}, false, []),
    {Sum, Told}.

traced(L) ->
    R = lists:reverse(L ++ [a], []),
    length(R).

told(P) ->
    receive
        {trace, P, return_from, MFA, R} -> [{returned, MFA, length(R)} | told(P)];
        {trace, P, What, MFA} -> [{What, MFA} | told(P)]
    after 0 -> []
    end.

%% The room is more than the process may have.
limited() ->
    {P, M} = spawn_opt(fun() -> B = binary:copy(<<1>>, 100000), exit({lived, length(binary_to_list(B))}) end,
                       [monitor, {max_heap_size, #{size => 20000, kill => true, error_logger => false}}]),
    receive {'DOWN', M, process, P, Reason} -> Reason end.

in_process(F) ->
    {P, M} = spawn_monitor(fun() -> exit({done, F()}) end),
    receive {'DOWN', M, process, P, {done, R}} -> R; {'DOWN', M, process, P, Reason} -> Reason end.

id(X) -> X.
