%% Libraries in Erlang that are used in production, as Debian has them.
-module(lib_programs).
-export([main/0]).
-include("l.hrl").

main() ->
    t(meck, fun() ->
        ok = meck:new(mocked, [non_strict]),
        ok = meck:expect(mocked, f, fun(X) -> {mocked, X} end),
        Seen = {mocked:f(1), meck:num_calls(mocked, f, '_'), meck:validate(mocked)},
        meck:unload(mocked),
        {Seen, erlang:function_exported(mocked, f, 1)}
    end),
    t(proper, fun() ->
        Lists = proper_types:list(proper_types:integer()),
        Property = proper:forall(Lists, fun(L) -> lists:sort(lists:reverse(L)) =:= lists:sort(L) end),
        proper:quickcheck(Property, [quiet, {numtests, 200}])
    end),
    t(lua, fun() -> {R, _} = luerl:do("local s = 0; for i = 1, 1000 do s = s + i * i end; return s"), R end),
    t(lua_fib, fun() ->
        {R, _} = luerl:do("function fib(n) if n < 2 then return n else return fib(n - 1) + fib(n - 2) end end "
                          "return fib(18), string.format('%5.2f', 3.14159)"),
        R
    end),
    t(idna, fun() -> idna:encode("b\x{fc}cher.example") end),
    t(getopt, fun() ->
        getopt:parse([{v, $v, "verbose", undefined, "x"}, {n, $n, "num", integer, "n"}], ["-v", "-n", "12", "rest"])
    end),
    t(jose, fun() ->
        {ok, _} = application:ensure_all_started(crypto),
        Key = jose_jwk:from_oct(<<"secretsecretsecret">>),
        {_, Token} = jose_jws:compact(jose_jwt:sign(Key, #{<<"alg">> => <<"HS256">>}, #{<<"a">> => 1})),
        {Token, element(1, jose_jwt:verify(Key, Token)), element(1, jose_jwt:verify(Key, <<Token/binary, "x">>))}
    end),
    t(xmerl, fun() ->
        {Document, _} = xmerl_scan:string("<a><b c='d'>e</b></a>"),
        lists:flatten(xmerl:export_simple([Document], xmerl_xml))
    end),
    t(cowlib, fun() -> {cow_qs:parse_qs(<<"a=1&b=%20x">>), cow_http_hd:parse_accept(<<"text/html;q=0.8, */*">>)} end).
