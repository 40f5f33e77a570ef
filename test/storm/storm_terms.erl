%% Terms that are shared or take long: binaries, maps, atomics, what yields in the middle.
-module(storm_terms).
-include("storm.hrl").
-export([begins/0, actions/0, invariants/0]).
-import(storm_any, [chance/1, one_of/1, other/0, wait/1, down/1]).

begins() ->
    persistent_term:put(storm_atomics, atomics:new(?COUNTERS, [])),
    persistent_term:put(storm_added, {counters:new(1, []), counters:new(1, [])}).

actions() ->
    [{append, fun append/0}, {sub_binaries, fun sub_binaries/0}, {external, fun external/0}, {compare, fun compare/0},
     {maps, fun maps/0}, {sort, fun sort/0}, {big, fun big/0}, {atomics, fun atomics/0}, {regex, fun regex/0},
     {lists, fun lists/0}, {decode, fun decode/0}, {deep_stack, fun deep_stack/0}, {unicode, fun unicode/0},
     {killed_in_long, fun killed_in_long/0}].

%% Appending to what another has too.
append() ->
    B = append(<<>>, rand:uniform(500)),
    Self = self(),
    {P, M} = spawn_monitor(fun() -> Self ! {self(), append(B, 100)} end),
    C = append(B, 100),
    receive {P, D} -> true = C =:= D; {'DOWN', M, _, _, _} -> ok end,
    demonitor(M, [flush]).

append(B, 0) -> B;
append(B, N) -> append(<<B/binary, N:16>>, N - 1).

sub_binaries() ->
    B = binary:copy(<<"abcdefghij">>, 5000),
    Parts = [binary:part(B, I * 10, 10) || I <- lists:seq(0, 999)],
    catch (other() ! {noise, Parts}),
    chance(2) andalso garbage_collect(),
    true = lists:all(fun(X) -> X =:= <<"abcdefghij">> end, Parts),
    10000 = byte_size(iolist_to_binary(Parts)).

external() ->
    X = case chance(3) of true -> storm_any:large_term(); false -> storm_any:term() end,
    true = is_function(X) orelse X =:= binary_to_term(term_to_binary(X, one_of([[], [compressed]]))).

compare() ->
    X = storm_any:large_term(),
    Y = binary_to_term(term_to_binary(X)),
    true = X =:= Y,
    false = X < Y,
    true = erlang:phash2(X) =:= erlang:phash2(Y).

maps() ->
    Keys = lists:seq(1, rand:uniform(500)),
    M = lists:foldl(fun(K, A) -> A#{K => {K}} end, #{}, Keys),
    Keys = lists:sort(maps:keys(M)),
    0 = map_size(lists:foldl(fun maps:remove/2, M, Keys)).

sort() ->
    L = [rand:uniform(1000000) || _ <- lists:seq(1, 5000)],
    S = lists:sort(L),
    true = lists:sum(S) =:= lists:sum(L).

big() ->
    N = rand:uniform(1 bsl 2000),
    N = list_to_integer(integer_to_list(N)),
    M = N * N * N,
    N = M div N div N.

atomics() ->
    {Begun, Done} = persistent_term:get(storm_added),
    counters:add(Begun, 1, 100),
    [atomics:add(persistent_term:get(storm_atomics), rand:uniform(?COUNTERS), 1) || _ <- lists:seq(1, 100)],
    counters:add(Done, 1, 100).

regex() ->
    {match, [{9000, 3}]} = re:run([binary:copy(<<"abc">>, 3000), "xyz"], "x.z").

lists() ->
    L = lists:seq(1, 10000),
    20000 = length(L ++ L),
    L = lists:reverse(lists:reverse(L)),
    [] = L -- L.

decode() -> catch binary_to_term(<<131, (random_bytes(rand:uniform(60)))/binary>>).
random_bytes(N) -> << <<(rand:uniform(256) - 1)>> || _ <- lists:seq(1, N) >>.

deep_stack() -> 50000 = down_and_up(50000).
down_and_up(0) -> 0;
down_and_up(N) -> 1 + down_and_up(N - 1).

unicode() ->
    S = lists:seq(1000, 1000 + rand:uniform(3000)),
    S = unicode:characters_to_list(unicode:characters_to_binary(S)).

%% Killed in the middle of long work, or at the end of it.
killed_in_long() ->
    P = spawn_monitor(fun() ->
        X = storm_any:large_term(),
        [binary_to_term(term_to_binary(X)) || _ <- lists:seq(1, 20)]
    end),
    wait(rand:uniform(5)),
    exit(element(1, P), kill),
    down(P).

invariants() ->
    A = persistent_term:get(storm_atomics),
    {Begun, Done} = persistent_term:get(storm_added),
    Sum = lists:sum([atomics:get(A, I) || I <- lists:seq(1, ?COUNTERS)]),
    [{"atomics", counters:get(Done, 1) =< Sum andalso Sum =< counters:get(Begun, 1)}].
