%% Large maps that are keys are found however they were built, also when two of their own keys have one hash.
-module(r_map_keys_of_one_hash).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    Pairs = of_one_hash(lists:seq(1, 300000), #{}, []),
    io:format("~p~n", [Pairs =/= []]),
    Keys = lists:append([[A, B] || {A, B} <- Pairs]) ++ lists:seq(1, 40),
    [Up, Down] = [lists:foldl(fun(K, M) -> M#{K => v} end, #{}, L) || L <- [Keys, lists:reverse(Keys)]],
    io:format("~p~n", [[found(Up, Down), found(Down, Up)]]),
    Other = maps:remove(element(1, hd(Pairs)), Up),
    io:format("~p~n", [[maps:is_key(Other, large(Up)), maps:is_key(Up, large(Other))]]).

of_one_hash([], _, Pairs) -> Pairs;
of_one_hash([N | Ns], Seen, Pairs) ->
    Hash = erts_debug:get_internal_state({internal_hash, N}),
    case Seen of
        #{Hash := Other} -> of_one_hash(Ns, Seen, [{Other, N} | Pairs]);
        #{} -> of_one_hash(Ns, Seen#{Hash => N}, Pairs)
    end.

large(Key) -> maps:from_list([{Key, here} | [{N, N} || N <- lists:seq(1, 40)]]).

found(Key, Same) ->
    T = ets:new(t, []),
    ets:insert(T, {{Key, 1}, here}),
    [Key =:= Same, maps:get(Same, large(Key), lost), maps:get({Same}, large({Key}), lost),
     ets:lookup_element(T, {Same, 1}, 2), maps:get([Same | x], large([Key | x]), lost), map_size((large(Key))#{Same => new})].
