%% Maps, small and large; records and tuples.
-module(b_maps).
-export([group/0, benchmarks/0]).

-record(point, {x = 0, y = 0, z = 0, name = none, tags = []}).

group() -> sequential.

benchmarks() ->
    Large = maps:from_list([{N, N} || N <- lists:seq(1, 20000)]),
    Small = #{a => 1, b => 2, c => 3, d => 4},
    [{"maps: small update", fun() -> small_update(600000, Small) end},
     {"maps: small match", fun() -> small_match(1500000, Small, 0) end},
     {"maps: small build", fun() -> small_build(500000, none) end},
     {"maps: large put", fun() -> large_put(60000, #{}) end},
     {"maps: large get", fun() -> large_get(300000, Large, 0) end},
     {"maps: fold", fun() -> times(10, fun() -> maps:fold(fun(_, V, Sum) -> V + Sum end, 0, Large) end) end},
     {"maps: word count", fun() -> count(200000, #{}) end},
     {"records: update", fun() -> move(1500000, #point{}) end},
     {"records: match", fun() -> distance(2000000, #point{x = 1, y = 2, z = 3}, 0) end},
     {"tuples: setelement", fun() -> rotate(600000, list_to_tuple(lists:seq(1, 20))) end}].

times(0, _) -> ok;
times(N, Fun) -> Fun(), times(N - 1, Fun).

small_update(0, Map) -> Map;
small_update(N, #{a := A} = Map) -> small_update(N - 1, Map#{a := A + 1, d := N}).

small_match(0, _, Sum) -> Sum;
small_match(N, #{b := B, c := C} = Map, Sum) -> small_match(N - 1, Map, Sum + B + C).

small_build(0, Map) -> Map;
small_build(N, _) -> small_build(N - 1, #{id => N, left => none, right => none, count => N + 1}).

large_put(0, Map) -> map_size(Map);
large_put(N, Map) -> large_put(N - 1, maps:put((N * 7919) rem 50021, N, Map)).

large_get(0, _, Sum) -> Sum;
large_get(N, Map, Sum) -> large_get(N - 1, Map, Sum + maps:get((N * 7919) rem 20000 + 1, Map)).

count(0, Counts) -> map_size(Counts);
count(N, Counts) ->
    Key = {word, (N * N) rem 1009},
    count(N - 1, maps:update_with(Key, fun(C) -> C + 1 end, 1, Counts)).

move(0, Point) -> Point;
move(N, #point{x = X, z = Z} = Point) -> move(N - 1, Point#point{x = X + 1, z = Z - 1}).

distance(0, _, Sum) -> Sum;
distance(N, #point{x = X, y = Y, z = Z} = Point, Sum) -> distance(N - 1, Point, Sum + X + Y + Z).

rotate(0, Tuple) -> Tuple;
rotate(N, Tuple) -> rotate(N - 1, setelement(N rem 20 + 1, Tuple, element(1, Tuple))).
