%% Calls that programs make of the stock libraries, on small things. A value is the least of many short rounds, so it
%% says what a call takes where nothing comes between, also on a busy machine.
-module(b_library).
-behaviour(gen_server).
-export([group/0, benchmarks/0, init/1, handle_call/3, handle_cast/2]).

-define(ROUNDS, 40).
-define(ROUND_MICROSECONDS, 200).
-define(TEXT, "the quick brown fox jumps over the lazy dog").

group() -> library.

benchmarks() ->
    [{"library: " ++ Name, nanoseconds, fun() -> least(Fun) end}
     || {Name, Fun} <- lists:append([walks(), lists_(), keys(), strings(), binaries(), characters(), numbers(), atoms(),
                                     printed(), regexps(), encodings(), collections(), tables(), terms(), tuples(),
                                     shared(), clocks(), lives(), failures(), files()])].

least(Fun) ->
    Start = erlang:monotonic_time(microsecond),
    times(100, Fun),
    Taken = erlang:monotonic_time(microsecond) - Start + 1,
    Count = max(5, min(5000, 100 * ?ROUND_MICROSECONDS div Taken)),
    lists:min([nanoseconds(Count, Fun) / Count || _ <- lists:seq(1, ?ROUNDS)]).

nanoseconds(Count, Fun) ->
    Start = erlang:monotonic_time(nanosecond),
    times(Count, Fun),
    erlang:monotonic_time(nanosecond) - Start.

times(0, _) -> ok;
times(N, Fun) -> Fun(), times(N - 1, Fun).

%% Ordered, and in no order.
ordered(N) -> lists:seq(1, N).
numbers(N) -> [erlang:phash2(X) || X <- ordered(N)].
pairs(N) -> [{X, X} || X <- numbers(N)].
map(N) -> maps:from_list([{X, X} || X <- ordered(N)]).
term() -> {a, 1, "abc", #{x => 1, y => [1, 2, 3]}, <<"some bytes">>, 1.5}.
records() -> [{X, integer_to_binary(X), [X]} || X <- ordered(100)].

walks() ->
    L = ordered(100),
    [{"lists:map", fun() -> lists:map(fun(X) -> X + 1 end, L) end},
     {"lists:filter", fun() -> lists:filter(fun(X) -> X rem 2 =:= 0 end, L) end},
     {"lists:foldl", fun() -> lists:foldl(fun(X, Sum) -> X + Sum end, 0, L) end},
     {"lists:foldr", fun() -> lists:foldr(fun(X, Sum) -> X + Sum end, 0, L) end},
     {"a comprehension", fun() -> [X * 2 || X <- L, X > 50] end},
     {"lists:partition", fun() -> lists:partition(fun(X) -> X > 50 end, L) end},
     {"lists:splitwith", fun() -> lists:splitwith(fun(X) -> X < 50 end, L) end},
     {"lists:any", fun() -> lists:any(fun(X) -> X > 99 end, L) end},
     {"lists:flatmap", fun() -> lists:flatmap(fun(X) -> [X, X] end, L) end},
     {"lists:mapfoldl", fun() -> lists:mapfoldl(fun(X, Sum) -> {X, X + Sum} end, 0, L) end},
     {"lists:sort with a fun", fun() -> lists:sort(fun(X, Y) -> X >= Y end, L) end}] ++
        lists:append([walks_of_maps(map(Size), Size) || Size <- [5, 20, 1000]]).

walks_of_maps(M, Size) ->
    List = maps:to_list(M),
    [{Name ++ ", " ++ integer_to_list(Size), Fun}
     || {Name, Fun} <- [{"maps:fold", fun() -> maps:fold(fun(_, V, Sum) -> V + Sum end, 0, M) end},
                        {"maps:map", fun() -> maps:map(fun(_, V) -> V + 1 end, M) end},
                        {"maps:filter", fun() -> maps:filter(fun(_, V) -> V > 3 end, M) end},
                        {"maps:foreach", fun() -> maps:foreach(fun(_, V) -> V > 3 end, M) end},
                        {"an iterator", fun() -> iterated(maps:next(maps:iterator(M))) end},
                        {"maps:to_list", fun() -> maps:to_list(M) end},
                        {"maps:from_list", fun() -> maps:from_list(List) end},
                        {"maps:keys", fun() -> maps:keys(M) end},
                        {"maps:merge", fun() -> maps:merge(M, #{3 => x}) end},
                        {"maps:with", fun() -> maps:with([1, 3, 5, 7], M) end},
                        {"maps:without", fun() -> maps:without([1, 3, 5, 7], M) end},
                        {"maps:update_with", fun() -> maps:update_with(3, fun(X) -> X + 1 end, M) end},
                        {"maps:put", fun() -> maps:put(0, a, M) end},
                        {"maps:remove", fun() -> maps:remove(3, M) end},
                        {"maps:take", fun() -> maps:take(3, M) end},
                        {"maps:get", fun() -> maps:get(33333, M, x) end},
                        {"five new keys", fun() -> M#{a => 1, f => 2, k => 3, p => 4, z => 5} end}]].

iterated(none) -> ok;
iterated({_, _, Next}) -> iterated(maps:next(Next)).

lists_() ->
    L = ordered(100), R = numbers(100), Deep = deep(),
    [{"lists:reverse", fun() -> lists:reverse(L) end}, {"lists:sort", fun() -> lists:sort(R) end},
     {"lists:usort", fun() -> lists:usort(R) end}, {"lists:member", fun() -> lists:member(x, L) end},
     {"lists:nth", fun() -> lists:nth(50, L) end}, {"lists:nthtail", fun() -> lists:nthtail(50, L) end},
     {"lists:seq", fun() -> lists:seq(1, 100) end}, {"lists:sum", fun() -> lists:sum(L) end},
     {"lists:max", fun() -> lists:max(R) end}, {"lists:zip", fun() -> lists:zip(L, R) end},
     {"lists:flatten", fun() -> lists:flatten(Deep) end}, {"lists:append", fun() -> lists:append([L, L]) end},
     {"lists:duplicate", fun() -> lists:duplicate(50, a) end}, {"lists:sublist", fun() -> lists:sublist(L, 20, 30) end},
     {"lists:split", fun() -> lists:split(50, L) end}, {"lists:last", fun() -> lists:last(L) end},
     {"lists:delete", fun() -> lists:delete(50, L) end}, {"--", fun() -> L -- R end}, {"++", fun() -> L ++ R end},
     {"lists:merge", fun() -> lists:merge(L, L) end}, {"lists:join", fun() -> lists:join($,, L) end},
     {"lists:concat", fun() -> lists:concat([abc, 1, "x", 1.5]) end}, {"length", fun() -> length(L) end},
     {"lists:prefix", fun() -> lists:prefix("the quick", ?TEXT) end}].

deep() -> [[[X], [<<"ab">>, X]] || X <- ordered(50)].

keys() ->
    P = pairs(100), Options = [{X, 1} || X <- [a, b, c, d, e, f, g]],
    [{"lists:keysort", fun() -> lists:keysort(1, P) end}, {"lists:keyfind", fun() -> lists:keyfind(x, 1, P) end},
     {"lists:keystore", fun() -> lists:keystore(x, 1, P, {x, 5}) end}, {"lists:unzip", fun() -> lists:unzip(P) end},
     {"lists:keydelete", fun() -> lists:keydelete(x, 1, P) end},
     {"proplists:get_value", fun() -> proplists:get_value(f, Options) end},
     {"orddict:store", fun() -> orddict:store(d, 4, Options) end}].

strings() ->
    B = list_to_binary(?TEXT), U = <<"größe überall äöü und noch mehr Zeichen"/utf8>>,
    [{"string:split", fun() -> string:split(?TEXT, " ", all) end},
     {"string:split, binary", fun() -> string:split(B, <<" ">>, all) end},
     {"string:trim", fun() -> string:trim("  abc  ") end}, {"string:lexemes", fun() -> string:lexemes(?TEXT, " ") end},
     {"string:tokens", fun() -> string:tokens(?TEXT, " ") end}, {"string:str", fun() -> string:str(?TEXT, "lazy") end},
     {"string:uppercase", fun() -> string:uppercase(?TEXT) end},
     {"string:find", fun() -> string:find(?TEXT, "lazy") end},
     {"string:uppercase, binary", fun() -> string:uppercase(B) end}, {"string:length", fun() -> string:length(U) end},
     {"string:replace", fun() -> string:replace(?TEXT, "the", "a", all) end},
     {"string:slice", fun() -> string:slice(?TEXT, 4, 5) end}, {"string:equal", fun() -> string:equal(?TEXT, B) end},
     {"string:to_integer", fun() -> string:to_integer("12345abc") end},
     {"string:pad", fun() -> string:pad("ab", 9) end},
     {"string:join", fun() -> string:join(["ab", "cd", "ef"], ",") end},
     {"string:to_lower", fun() -> string:to_lower(?TEXT) end}].

binaries() ->
    B = list_to_binary(?TEXT), K = binary:copy(<<"abcdefghij">>, 100), C = binary:copy(<<"field,">>, 100), D = deep(),
    [{"binary:split", fun() -> binary:split(B, <<" ">>, [global]) end},
     {"binary:split, 100", fun() -> binary:split(C, <<",">>, [global]) end},
     {"binary:replace", fun() -> binary:replace(B, <<"o">>, <<"00">>, [global]) end},
     {"binary:match", fun() -> binary:match(K, <<"xyz">>) end}, {"binary:part", fun() -> binary:part(B, 4, 5) end},
     {"binary:copy", fun() -> binary:copy(B, 3) end}, {"binary:at", fun() -> binary:at(B, 4) end},
     {"binary:encode_hex", fun() -> binary:encode_hex(B) end}, {"binary_to_list", fun() -> binary_to_list(B) end},
     {"list_to_binary", fun() -> list_to_binary(?TEXT) end}, {"iolist_to_binary", fun() -> iolist_to_binary(D) end},
     {"iolist_size", fun() -> iolist_size(D) end}, {"bytes to bytes", fun() -> << <<(X bxor 1)>> || <<X>> <= B >> end},
     {"16 bits to a list", fun() -> [X || <<X:16>> <= K] end},
     {"<<B/binary, ...>>", fun() -> <<B/binary, "abc", B/binary>> end}, {"appended", fun() -> appended(<<>>, 50) end}].

appended(B, 0) -> B;
appended(B, N) -> appended(<<B/binary, N>>, N - 1).

characters() ->
    U = <<"größe überall äöü und noch mehr Zeichen"/utf8>>, L = unicode:characters_to_list(U),
    [{"UTF-8 matched", fun() -> [X || <<X/utf8>> <= U] end}, {"UTF-8 built", fun() -> << <<X/utf8>> || X <- L >> end},
     {"characters_to_binary", fun() -> unicode:characters_to_binary(L) end},
     {"characters_to_list", fun() -> unicode:characters_to_list(U) end},
     {"characters_to_nfc_binary", fun() -> unicode:characters_to_nfc_binary(U) end}].

numbers() ->
    F = 3.14159, Ten = length(ordered(10)), Big = (1 bsl 300) + Ten,
    [{"integer_to_list", fun() -> integer_to_list(123456) end},
     {"integer_to_binary", fun() -> integer_to_binary(123456) end},
     {"list_to_integer", fun() -> list_to_integer("123456") end},
     {"binary_to_integer", fun() -> binary_to_integer(<<"123456">>) end},
     {"integer_to_binary, 16", fun() -> integer_to_binary(123456, 16) end},
     {"float_to_list", fun() -> float_to_list(F) end},
     {"float_to_list, short", fun() -> float_to_list(F, [short]) end},
     {"float_to_binary, 2", fun() -> float_to_binary(F, [{decimals, 2}]) end},
     {"list_to_float", fun() -> list_to_float("3.14159") end},
     {"binary_to_float", fun() -> binary_to_float(<<"3.14">>) end},
     {"integer_to_binary of 200 bits", fun() -> integer_to_binary(1 bsl 200) end},
     {"200 times 300 bits", fun() -> ((1 bsl 200) + Ten) * Big end},
     {"300 by 100 bits", fun() -> Big div (1 bsl 99) end},
     {"math:sqrt", fun() -> math:sqrt(F) end}, {"round", fun() -> round(F) end},
     {"rand:uniform", fun() -> rand:uniform(9) end}].

atoms() ->
    {Pid, Ref} = {self(), make_ref()},
    [{"binary_to_atom", fun() -> binary_to_atom(<<"hello">>) end}, {"list_to_atom", fun() -> list_to_atom("hello") end},
     {"binary_to_existing_atom", fun() -> binary_to_existing_atom(<<"hello">>) end},
     {"atom_to_binary", fun() -> atom_to_binary(hello) end}, {"atom_to_list", fun() -> atom_to_list(hello) end},
     {"pid_to_list", fun() -> pid_to_list(Pid) end}, {"ref_to_list", fun() -> ref_to_list(Ref) end}].

printed() ->
    T = term(), U = <<"größe überall"/utf8>>,
    [{"~p", fun() -> io_lib:format("~p ~p", [T, [1, 2, 3]]) end}, {"~ts", fun() -> io_lib:format("~ts", [U]) end},
     {"~s ~w ~b", fun() -> io_lib:format("~s ~w ~b", ["abc", abc, 12]) end},
     {"io_lib:write", fun() -> io_lib:write(T) end},
     {"io_lib:fread", fun() -> io_lib:fread("~d ~d", "12 34") end},
     {"erl_scan:string", fun() -> erl_scan:string("foo(X) -> {X, 1, \"abc\"}.") end}].

regexps() ->
    B = list_to_binary(?TEXT), {ok, Words} = re:compile("(\\w+) (\\w+)"), {ok, Never} = re:compile("z[a-z]+ d"),
    [{"re:run", fun() -> re:run(?TEXT, Words) end}, {"re:run that finds nothing", fun() -> re:run(B, Never) end},
     {"re:run, binaries", fun() -> re:run(B, Words, [{capture, all, binary}]) end},
     {"re:run of a text", fun() -> re:run(B, "l.zy") end}, {"re:split", fun() -> re:split(B, " ") end},
     {"re:replace", fun() -> re:replace(B, "o", "0", [global, {return, binary}]) end}].

encodings() ->
    B = list_to_binary(?TEXT), K = binary:copy(B, 20), E = base64:encode(B),
    [{"base64:encode", fun() -> base64:encode(B) end}, {"base64:decode", fun() -> base64:decode(E) end},
     {"erlang:md5", fun() -> erlang:md5(B) end}, {"erlang:crc32", fun() -> erlang:crc32(K) end},
     {"erlang:adler32", fun() -> erlang:adler32(K) end}, {"gzip and back", fun() -> zlib:gunzip(zlib:gzip(B)) end},
     {"uri_string:parse", fun() -> uri_string:parse("http://a.b/c?d=e#f") end},
     {"uri_string:quote", fun() -> uri_string:quote("a b c/d") end}].

collections() ->
    P = pairs(100), R = numbers(100), G = gb_trees:from_orddict(lists:sort(P)), D = dict:from_list(P),
    S = sets:from_list(R), V2 = sets:from_list(R, [{version, 2}]), O = ordsets:from_list(R), GS = gb_sets:from_list(R),
    Q = queue:from_list(R), A = array:from_list(R),
    [{"sets:is_element", fun() -> sets:is_element(5, S) end}, {"sets:add_element", fun() -> sets:add_element(5, S) end},
     {"sets:add_element, 2", fun() -> sets:add_element(5, V2) end},
     {"ordsets:add_element", fun() -> ordsets:add_element(5, O) end},
     {"gb_trees:lookup", fun() -> gb_trees:lookup(5, G) end}, {"gb_trees:enter", fun() -> gb_trees:enter(5, 5, G) end},
     {"gb_sets:add", fun() -> gb_sets:add(5, GS) end}, {"dict:find", fun() -> dict:find(5, D) end},
     {"dict:store", fun() -> dict:store(5, 5, D) end}, {"queue, in and out", fun() -> queue:out(queue:in(5, Q)) end},
     {"array:get", fun() -> array:get(50, A) end}, {"array:set", fun() -> array:set(50, x, A) end}].

tables() ->
    [S, O] = [begin T = ets:new(t, [public, Type]), ets:insert(T, [{X, X, a} || X <- ordered(1000)]), T end
              || Type <- [set, ordered_set]],
    [{"ets:lookup", fun() -> ets:lookup(S, 50) end}, {"ets:insert", fun() -> ets:insert(S, {50, 1, a}) end},
     {"ets:lookup_element", fun() -> ets:lookup_element(S, 50, 2) end}, {"ets:member", fun() -> ets:member(S, 50) end},
     {"ets:update_counter", fun() -> ets:update_counter(S, 50, {2, 1}) end},
     {"ets:match", fun() -> ets:match(S, {50, '$1', '_'}) end},
     {"ets:select", fun() -> ets:select(S, [{{50, '$1', '_'}, [], ['$1']}]) end},
     {"ets:foldl", fun() -> ets:foldl(fun(_, N) -> N + 1 end, 0, S) end},
     {"ets:tab2list", fun() -> ets:tab2list(S) end},
     {"ets:lookup, ordered", fun() -> ets:lookup(O, 500) end}, {"ets:next, ordered", fun() -> ets:next(O, 500) end},
     {"ets:insert, ordered", fun() -> ets:insert(O, {500, 1, a}) end}, {"ets:info", fun() -> ets:info(S, size) end},
     {"ets:match_object, ordered", fun() -> ets:match_object(O, {500, '_', '_'}) end},
     {"ets:take, ets:insert", fun() -> ets:take(S, 60), ets:insert(S, {60, 1, b}) end},
     {"ets:new, ets:delete", fun() -> ets:delete(ets:new(x, [])) end}].

terms() ->
    T = term(), R = records(), TB = term_to_binary(T), RB = term_to_binary(R),
    [{"term_to_binary", fun() -> term_to_binary(T) end}, {"binary_to_term", fun() -> binary_to_term(TB) end},
     {"term_to_binary, 100", fun() -> term_to_binary(R) end}, {"binary_to_term, 100", fun() -> binary_to_term(RB) end},
     {"term_to_binary, compressed", fun() -> term_to_binary(R, [compressed]) end},
     {"external_size", fun() -> erlang:external_size(T) end}, {"phash2", fun() -> erlang:phash2(T) end},
     {"phash2, 100", fun() -> erlang:phash2(R) end}, {"<", fun() -> {R, 1} < {R, 2} end}].

tuples() ->
    T = list_to_tuple(ordered(10)), L = ordered(10),
    [{"element", fun() -> element(5, T) end}, {"setelement", fun() -> setelement(5, T, x) end},
     {"tuple_to_list", fun() -> tuple_to_list(T) end}, {"list_to_tuple", fun() -> list_to_tuple(L) end},
     {"append_element", fun() -> erlang:append_element(T, x) end},
     {"make_tuple", fun() -> erlang:make_tuple(10, a) end}].

shared() ->
    A = atomics:new(10, []), C = counters:new(10, [write_concurrency]), persistent_term:put(?MODULE, term()),
    [{"put, get", fun() -> put(k, get(k)) end}, {"persistent_term:get", fun() -> persistent_term:get(?MODULE) end},
     {"atomics:add", fun() -> atomics:add(A, 1, 1) end}, {"atomics:get", fun() -> atomics:get(A, 1) end},
     {"counters:add", fun() -> counters:add(C, 1, 1) end}, {"make_ref", fun() -> make_ref() end},
     {"unique_integer", fun() -> erlang:unique_integer() end},
     {"unique_integer, monotonic", fun() -> erlang:unique_integer([monotonic]) end}].

clocks() ->
    [{"monotonic_time", fun() -> erlang:monotonic_time() end}, {"os:timestamp", fun() -> os:timestamp() end},
     {"system_time", fun() -> erlang:system_time(millisecond) end}, {"local_time", fun() -> calendar:local_time() end},
     {"gregorian seconds", fun() -> calendar:datetime_to_gregorian_seconds({{2024, 1, 2}, {3, 4, 5}}) end},
     {"rfc3339", fun() -> calendar:system_time_to_rfc3339(1700000000) end}].

lives() ->
    {ok, P} = gen_server:start_link(?MODULE, [], []), Me = self(),
    [{"a process, its end", fun() ->
        {_, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> ok end end},
     {"to oneself", fun() -> self() ! x, receive x -> ok end end},
     {"gen_server:call", fun() -> gen_server:call(P, x) end},
     {"a timer", fun() -> erlang:cancel_timer(erlang:start_timer(10000, self(), x)) end},
     {"after 0", fun() -> receive after 0 -> ok end end}, {"whereis", fun() -> whereis(init) end},
     {"a monitor", fun() -> demonitor(monitor(process, P), [flush]) end},
     {"is_process_alive", fun() -> is_process_alive(P) end},
     {"a name", fun() -> register(?MODULE, self()), unregister(?MODULE) end},
     {"a collection", fun() -> garbage_collect() end},
     {"process_info", fun() -> process_info(self(), [memory, message_queue_len]) end},
     {"abs by a fun", fun() -> abs_by(Me) end}].

abs_by(_) -> (fun erlang:abs/1)(1).

failures() ->
    [{"throw", fun() -> try throw(x) catch throw:x -> ok end end}, {"catch", fun() -> catch error(x) end},
     {"a stack", fun() -> try error(x) catch _:_:Stack -> Stack end end}].

files() ->
    Path = code:which(bench_main),
    [{"file:read_file", fun() -> file:read_file(Path) end},
     {"file:read_file_info", fun() -> file:read_file_info(Path) end},
     {"filename:join", fun() -> filename:join(["/a", "b", "c.erl"]) end},
     {"filename:basename", fun() -> filename:basename("/a/b/c.erl", ".erl") end},
     {"os:getenv", fun() -> os:getenv("HOME") end},
     {"application:get_env", fun() -> application:get_env(kernel, x) end},
     {"code:which", fun() -> code:which(lists) end}, {"logger:debug", fun() -> logger:debug("x") end}].

init(_) -> {ok, none}.
handle_call(X, _, State) -> {reply, X, State}.
handle_cast(_, State) -> {noreply, State}.
