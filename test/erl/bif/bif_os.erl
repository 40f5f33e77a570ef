-module(bif_os).
-export([main/0]).
-include("c.hrl").

main() ->
    Names = ["VIV_TEST_A", "VIV_TEST_NONE", a, "", "A=B", "A=", "=A", [0], [$A, 0], [16#d800], [$A | b], <<"HOME">>, [a]],
    each(os, getenv, Names -- [""]),
    [c(os, putenv, [N, V]) || N <- ["VIV_TEST_A" | tl(Names) -- [""]], V <- ["b"]],
    [begin c(os, putenv, ["VIV_TEST_A", V]), c(os, getenv, ["VIV_TEST_A"]) end || V <- ["", "x y", [1024, $=], [0], b, [$a | b], <<"b">>, [16#10ffff]]],
    io:format("~p~n", [[lists:keyfind("VIV_TEST_A", 1, os:env()), lists:member("VIV_TEST_A=" ++ os:getenv("VIV_TEST_A"), os:getenv())]]),
    each(os, unsetenv, Names -- [""]),
    c(os, getenv, ["VIV_TEST_A"]),
    c(os, getenv, ["VIV_TEST_A", default]),
    io:format("~w~n", [[is_integer(list_to_integer(os:getpid())), is_integer(os:perf_counter()), os:perf_counter(1000) > 0,
                        file:native_name_encoding(), io:printable_range(), error_logger:warning_map(), os:type()]]),
    each(erlang, bump_reductions, [0, 1, 100, -1, a, 1 bsl 70]),
    [each(erlang, F, [a, <<"a">>, true]) || F <- [dt_put_tag, dt_prepend_vm_tag_data, dt_append_vm_tag_data, dt_spread_tag, dt_restore_tag]],
    [c(erlang, F, []) || F <- [dt_get_tag, dt_get_tag_data]],
    each(erts_internal, term_type, [a, 1, 1.5, 1 bsl 70, -(1 bsl 70), [], [a], {}, #{}, maps:from_list([{I, I} || I <- lists:seq(1, 50)]),
        fun main/0, fun lists:map/2, <<>>, binary:copy(<<1>>, 100), list_to_pid("<0.1.0>"), list_to_port("#Port<0.1>")]),
    [c(erts_debug, flat_size, [X]) || X <- [a, {a, [1]}, 1 bsl 70, [1, 2, 3], "abc", <<1, 2, 3>>]],
    T = {a},
    io:format("~w~n", [[erts_debug:same(T, T), erts_debug:same({id(T)}, {id(T)}), erts_debug:same(1, 1)]]).

id(X) -> put(x, X), erase(x).
