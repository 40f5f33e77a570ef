%% Random calls on tables of all types: what they return, and what the table holds at the end. Orders that are not
%% promised are sorted away.
-module(ets_random).
-export([main/0]).

main() ->
    [run(Type, Options, Seed) || Type <- [set, bag, duplicate_bag, ordered_set],
                                 Options <- [[], [{write_concurrency, true}], [{keypos, 2}], [compressed],
                                             [compressed, {keypos, 2}], [compressed, {write_concurrency, auto}]],
                                 Seed <- lists:seq(1, 4)],
    ok.

run(Type, Options, Seed) ->
    rand:seed(exsss, {Seed, length(Options), erlang:phash2(Type)}),
    T = ets:new(t, [Type, public | Options]),
    Results = [step(T, Type) || _ <- lists:seq(1, 400)],
    io:format("~0p ~0p ~p: ~p ~p ~0p~n", [Type, Options, Seed, erlang:phash2(Results), ets:info(T, size),
                                        sorted(ets:tab2list(T))]),
    ets:delete(T).

step(T, Type) ->
    Call = call(rand:uniform(26)),
    Result = try do(Call, T) catch error:Reason -> {error, Reason} end,
    case Type of
        _ when is_list(Result) -> {element(1, Call), sorted(Result)};
        _ -> {element(1, Call), Result}
    end.

%% 1 and 1.0 are different keys of a set, but equal for lists:sort/1.
sorted(L) -> [T || {_, T} <- lists:sort([{term_to_binary(T, [deterministic]), T} || T <- L])].

call(1) -> {insert, object()};
call(2) -> {insert, object()};
call(3) -> {insert, object()};
call(4) -> {insert, [object() || _ <- lists:seq(1, rand:uniform(5))]};
call(5) -> {insert_new, object()};
call(6) -> {insert_new, [object() || _ <- lists:seq(1, rand:uniform(3))]};
call(7) -> {lookup, key()};
call(8) -> {lookup_element, key(), rand:uniform(4)};
call(9) -> {member, key()};
call(10) -> {delete, key()};
call(11) -> {delete_object, object()};
call(12) -> {take, key()};
call(13) -> {update_counter, key(), op()};
call(14) -> {update_counter, key(), [op(), op()]};
call(15) -> {update_counter, key(), op(), object()};
call(16) -> {update_element, key(), {rand:uniform(4), value()}};
call(17) -> {select, spec()};
call(18) -> {select_count, spec()};
call(19) -> {match, pattern()};
call(20) -> {match_object, pattern()};
call(21) -> {select_delete, delete_spec()};
call(22) -> {select_replace, replace_spec()};
call(23) -> {info, size};
call(24) -> {walk};
call(25) -> {chunks, pattern()};
call(26) -> {fixed_walk}.

do({walk}, T) -> walk(T, ets:first(T));
do({chunks, Pattern}, T) -> chunks(ets:match_object(T, Pattern, 3));
do({fixed_walk}, T) ->
    ets:safe_fixtable(T, true),
    Keys = deleting_walk(T, ets:first(T)),
    ets:safe_fixtable(T, false),
    Keys;
do(Call, T) -> [F | Args] = tuple_to_list(Call), apply(ets, F, [T | Args]).

walk(_, '$end_of_table') -> [];
walk(T, K) -> [K | walk(T, ets:next(T, K))].

deleting_walk(_, '$end_of_table') -> [];
deleting_walk(T, K) ->
    _ = (erlang:phash2(K) band 3) =:= 0 andalso ets:delete(T, K),
    [K | deleting_walk(T, ets:next(T, K))].

chunks('$end_of_table') -> [];
chunks({L, C}) when length(L) =< 3 -> L ++ chunks(ets:match_object(C)).

key() -> lists:nth(rand:uniform(12), [1, 2, 3, 1.0, 2.0, a, b, {x, 1}, "text", <<"bin">>, 1 bsl 70, #{k => 1}]).
value() ->
    lists:nth(rand:uniform(11), [0, 1, 7, foo, "list", 1 bsl 64, <<0:800>>, {1, {2, [3]}}, "a longer text",
                                 #{a => [1, 2, 3]}, {[1.5, <<5:3>>, -77 | tail]}]).
object() ->
    case rand:uniform(8) of
        1 -> {key(), key()};
        2 -> {key(), key(), value(), value(), value()};
        3 -> {key(), rand:uniform(5)};
        _ -> {key(), key(), value()}
    end.
op() ->
    case rand:uniform(5) of
        1 -> rand:uniform(10) - 5;
        2 -> {rand:uniform(4), rand:uniform(10) - 5, rand:uniform(6) - 3, rand:uniform(3)};
        3 -> {rand:uniform(4), 1 bsl 62};
        _ -> {rand:uniform(3) + 1, rand:uniform(10) - 5}
    end.
pattern() ->
    lists:nth(rand:uniform(9), [{'_', '_'}, {'$1', '_'}, {'$1', '$1'}, {'_', '$1', '$2'}, '_', {key(), '_', '$1'},
                                {'$2', key(), '$1'}, {'$1', '_', {1, '$3'}}, {'_', '_', [$l | '$1']}]).
spec() ->
    lists:nth(rand:uniform(7),
              [[{{'$1', '$2'}, [{'<', '$1', '$2'}], [{{'$2', '$1'}}]}],
               [{{'$1', '$2', '_'}, [{is_integer, '$2'}, {'>', {'+', '$2', 1}, 2}], ['$_']}],
               [{{'_', '_', '$1'}, [{'orelse', {is_atom, '$1'}, {is_binary, '$1'}}], ['$$']},
                {{'$1', '_'}, [], [{element, 1, '$_'}]}],
               [{{key(), '$1', '_'}, [], ['$1']}, {{key(), '$1'}, [], ['$_']}],
               [{'$1', [{'==', {size, '$1'}, 3}], [{{x, '$1', [{hd, '$1'}]}}]}],
               [{{'$1', '_', '_'}, [{is_map_key, k, '$1'}], [{map_get, k, '$1'}]}],
               [{{'$1', '$2', '$3'}, [{'=/=', '$1', '$2'}], [#{k => '$1', '$2' => '$3'}]}]]).
delete_spec() ->
    lists:nth(rand:uniform(4), [[{{key(), '_', '_'}, [], [true]}], [{{'$1', '$1'}, [], [true]}],
                                [{{'_', '$1'}, [{is_float, '$1'}], [true]}], [{{'_', '_', foo}, [], [{'==', 1, 1}]}]]).
replace_spec() ->
    lists:nth(rand:uniform(3), [[{{'$1', '$2'}, [{is_integer, '$2'}], [{{'$1', '$2'}}]}],
                                [{{'$1', '$2', '$3'}, [{is_atom, '$3'}], [{{'$1', '$2', {{'$3', 1}}}}]}],
                                [{{'$1', '$2', '_'}, [], [{{'$2', '$1', x}}]}]]).
