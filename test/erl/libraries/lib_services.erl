%% Libraries with processes, tables and files of their own, as Debian has them: databases, caches, pools, metrics.
-module(lib_services).
-behaviour(gen_server).
-export([main/0, start_link/1, init/1, handle_call/3, handle_cast/2]).
-include("l.hrl").

main() ->
    logger:set_primary_config(level, none), % supervisors report what they stop
    t(mnesia, fun mnesia/0),
    t(bitcask, fun bitcask/0),
    t(cache, fun cache/0),
    t(poolboy, fun poolboy/0),
    t(folsom, fun folsom/0),
    t(topics, fun topics/0),
    t(iconv, fun() ->
        {ok, _} = application:ensure_all_started(iconv),
        Convert = fun iconv:convert/3,
        {Convert(<<"utf-8">>, <<"iso-8859-1">>, <<"äöü"/utf8>>), Convert("latin1", "utf-16le", <<228, 246>>),
         Convert("nope", "utf-8", <<"a">>)}
    end),
    t(queries, fun() ->
        {ok, _} = application:ensure_all_started(goldrush),
        Module = glc:compile(a_query, glc:with(glc:all([glc:gt(n, 3), glc:eq(kind, x)]),
                                               fun(E) -> ets:update_counter(found, n, gre:fetch(n, E), {n, 0}) end)),
        ets:new(found, [named_table, public]),
        Event = fun(N) -> gre:make([{n, N}, {kind, case N rem 2 of 0 -> x; 1 -> y end}], [list]) end,
        [glc:handle(a_query, Event(N)) || N <- lists:seq(1, 10)],
        {Module, ets:tab2list(found), glc:input(a_query), glc:output(a_query), glc:delete(a_query),
         application:stop(goldrush)}
    end),
    t(mochiweb, fun() ->
        {iolist_to_binary(mochijson2:encode({struct, [{a, [1, <<"b">>]}]})),
         mochijson2:decode("{\"a\":[1,2.5e3,null]}"),
         mochiweb_html:parse("<html><body><p class=x>hi<br></body></html>"), mochinum:digits(0.1),
         mochiweb_util:parse_qs("a=b&c=%20d")}
    end).

mnesia() ->
    ok = mnesia:start(),
    {atomic, ok} = mnesia:create_table(t, [{attributes, [k, v]}, {index, [v]}]),
    {atomic, ok} = mnesia:create_table(o, [{type, ordered_set}]),
    [{atomic, ok} = mnesia:transaction(fun() -> mnesia:write({t, N, N rem 7}), mnesia:write({o, N, -N}) end)
     || N <- lists:seq(1, 300)],
    Add = fun() -> [{t, 1, V}] = mnesia:read(t, 1, write), mnesia:write({t, 1, V + 1}) end,
    at_once(4, fun() -> [{atomic, ok} = mnesia:transaction(Add) || _ <- lists:seq(1, 50)] end),
    Results = {mnesia:dirty_read(t, 1), length(mnesia:dirty_index_read(t, 3, v)),
               mnesia:transaction(fun() -> mnesia:abort(no) end),
               mnesia:transaction(fun() -> mnesia:foldl(fun({_, K, _}, A) -> K + A end, 0, t) end),
               mnesia:activity(transaction,
                               fun() -> mnesia:select(o, [{{o, '$1', '$2'}, [{'<', '$1', 5}], ['$2']}]) end),
               mnesia:table_info(t, size), mnesia:clear_table(t)},
    {Results, mnesia:stop()}.

at_once(N, F) ->
    Refs = [element(2, spawn_monitor(F)) || _ <- lists:seq(1, N)],
    [receive {'DOWN', Ref, process, _, normal} -> ok end || Ref <- Refs].

bitcask() ->
    {ok, _} = application:ensure_all_started(bitcask),
    Folder = filename:join("/tmp", "bitcask." ++ os:getpid()),
    Open = fun() -> true = is_reference(B = bitcask:open(Folder, [read_write])), B end,
    Key = fun integer_to_binary/1,
    B1 = Open(),
    [ok = bitcask:put(B1, Key(N), <<N:800>>) || N <- lists:seq(1, 500)],
    [ok = bitcask:delete(B1, Key(N)) || N <- lists:seq(1, 500, 3)],
    First = {bitcask:get(B1, <<"2">>) =:= {ok, <<2:800>>}, bitcask:get(B1, <<"1">>), length(bitcask:list_keys(B1)),
             bitcask:fold(B1, fun(_, V, A) -> A + byte_size(V) end, 0), bitcask:sync(B1), bitcask:close(B1)},
    B2 = Open(),
    Second = {length(bitcask:list_keys(B2)), bitcask:get(B2, <<"500">>) =:= {ok, <<500:800>>}, bitcask:close(B2)},
    {First, Second, file:del_dir_r(Folder)}.

cache() ->
    {ok, _} = application:ensure_all_started(cache_tab),
    ok = ets_cache:new(c, [{max_size, 1000}, {life_time, infinity}]),
    Values = [ets_cache:lookup(c, N rem 15, fun() -> {ok, N * N} end) || N <- lists:seq(1, 40)],
    at_once(8, fun() -> [ets_cache:lookup(c, N, fun() -> {ok, N} end) || N <- lists:seq(20, 400)] end),
    {Values, ets_cache:lookup(c, 3), ets_cache:delete(c, 3), ets_cache:lookup(c, 3), ets_cache:info(c, size),
     ets_cache:all(), ets_cache:clear(c), ets_cache:delete(c)}.

%% The pool's workers double.
start_link(Arguments) -> gen_server:start_link(?MODULE, Arguments, []).
init(_) -> {ok, none}.
handle_call(N, _, State) -> {reply, 2 * N, State}.
handle_cast(_, State) -> {noreply, State}.

poolboy() ->
    {ok, Pool} = poolboy:start([{worker_module, ?MODULE}, {size, 3}, {max_overflow, 2}]),
    Worker = poolboy:checkout(Pool),
    One = poolboy:status(Pool),
    poolboy:checkin(Pool, Worker),
    Work = fun(N) -> poolboy:transaction(Pool, fun(W) -> true = gen_server:call(W, N) =:= 2 * N end) end,
    at_once(20, fun() -> lists:foreach(Work, [1, 2, 3]) end),
    {One, poolboy:status(Pool), poolboy:stop(Pool)}.

folsom() ->
    {ok, _} = application:ensure_all_started(folsom),
    folsom_metrics:new_counter(hits),
    at_once(4, fun() -> [folsom_metrics:notify({hits, {inc, 5}}) || _ <- lists:seq(1, 100)] end),
    folsom_metrics:new_histogram(times, uniform, 100),
    [folsom_metrics:notify({times, N}) || N <- lists:seq(1, 50)],
    Statistics = folsom_metrics:get_histogram_statistics(times),
    folsom_metrics:new_spiral(lately),
    folsom_metrics:notify({lately, 2}),
    {folsom_metrics:get_metric_value(hits),
     [proplists:get_value(K, Statistics) || K <- [min, max, arithmetic_mean, median, n]],
     folsom_metrics:get_metric_value(lately), lists:sort(folsom_metrics:get_metrics()), application:stop(folsom)}.

topics() ->
    T = mqtree:new(),
    [mqtree:insert(T, Topic) || Topic <- [<<"a/b">>, <<"a/+">>, <<"a/#">>, <<"c">>]],
    at_once(4, fun() -> [mqtree:insert(T, <<"n/", (integer_to_binary(N))/binary>>) || N <- lists:seq(1, 500)] end),
    mqtree:register(all, T),
    {mqtree:match(T, <<"a/b">>), mqtree:match(T, <<"n/77">>), mqtree:size(T), mqtree:delete(T, <<"a/b">>),
     mqtree:refc(T, <<"n/500">>), mqtree:registered(), mqtree:whereis(all) =:= T, mqtree:unregister(all),
     mqtree:clear(T), mqtree:is_empty(T)}.
