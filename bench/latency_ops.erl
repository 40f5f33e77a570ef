%% Operations on large inputs, and how long each makes another process of the same scheduler wait.
%%
%% A ticker yields in a loop and keeps its largest gap while a worker, which has made its input before, performs one
%% operation. Prints a line for each: name, gap in microseconds, time that the operation took.
-module(latency_ops).
-export([main/0, main/1]).

-define(ROUNDS, 2).

main() -> main([]).

main(Names) ->
    [report(Name, Make, Do) || {Name, Make, Do} <- operations(),
                               Names =:= [] orelse lists:any(fun(N) -> string:find(Name, N) =/= nomatch end, Names)],
    ok.

report(Name, Make, Do) ->
    Rounds = [measure(Make, Do) || _ <- lists:seq(1, ?ROUNDS)],
    {Gap, Time} = lists:min(Rounds),
    io:format("~s\t~0p\t~0p~n", [Name, Gap, Time]).

%% The least of the rounds' largest gaps: what the machine did by itself shows in one round, what the runtime does in
%% all.
measure(Make, Do) ->
    Self = self(),
    {Worker, Monitor} = spawn_monitor(fun() -> worker(Self, Make, Do) end),
    receive
        ready -> ok;
        {'DOWN', Monitor, process, Worker, Why} -> exit({not_ready, Why})
    end,
    Ticker = spawn_link(fun() -> Self ! ticking, now_is(fun(T) -> ticker(Worker, Self, T, 0) end) end),
    receive ticking -> ok end,
    erlang:yield(),
    Worker ! go,
    Time = receive
               {done, T} -> T;
               {'DOWN', Monitor, process, Worker, _} -> failed
           end,
    Ticker ! stop,
    Gap = receive {gap, G} -> G end,
    exit(Worker, kill),
    receive {'DOWN', Monitor, process, Worker, _} -> ok after 0 -> ok end,
    {Gap div 1000, Time}.

worker(Parent, Make, Do) ->
    Input = Make(),
    erlang:garbage_collect(),
    Parent ! ready,
    receive go -> ok end,
    Start = erlang:monotonic_time(microsecond),
    try Do(Input) catch error:Reason when Reason =:= undef -> exit(Reason) end,
    Parent ! {done, erlang:monotonic_time(microsecond) - Start},
    receive never -> keep(Input) end.

keep(_) -> ok.

now_is(F) -> F(erlang:monotonic_time(nanosecond)).

ticker(Worker, Parent, Last, Gap) ->
    erlang:yield(),
    Now = erlang:monotonic_time(nanosecond),
    Largest = max(Gap, Now - Last),
    receive
        stop -> Parent ! {gap, Largest}
    after 0 -> ticker(Worker, Parent, Now, Largest)
    end.

%% Inputs

-define(MILLION, 1000000).

list() -> lists:seq(1, 3 * ?MILLION).
twins(Make) -> fun() -> {Make(), Make()} end.
deep() -> [{N, [N, N], <<N:32>>} || N <- lists:seq(1, 500000)].
pairs() -> [{{key, N}, N} || N <- lists:seq(1, 500000)].
map() -> maps:from_list(pairs()).
bytes() -> binary:copy(<<"abcdefghijklmno,">>, 3 * ?MILLION).
iolist() -> [[<<"abc">>, $d, [<<"efg">>]] || _ <- lists:seq(1, ?MILLION)].
integer(Bits) -> fun() -> (1 bsl Bits) - 12345 end.
big_key() -> lists:seq(1, 2 * ?MILLION).
table() -> table(set).
table(Type) ->
    T = ets:new(t, [Type, public]),
    [ets:insert(T, {N, N}) || N <- lists:seq(1, 500000)],
    T.

bag() ->
    T = ets:new(t, [duplicate_bag]),
    [ets:insert(T, {x, N}) || N <- pairs()],
    T.

operations() ->
    comparing() ++ hashing() ++ mapping() ++ copying() ++ joining() ++ searching() ++ listing() ++ converting() ++
        numbers() ++ tables() ++ others().

comparing() ->
    [{"==", twins(fun list/0), fun({A, B}) -> A == B end},
     {"=:= of tuples in lists", twins(fun deep/0), fun({A, B}) -> A =:= B end},
     {"<", twins(fun deep/0), fun({A, B}) -> A < B end},
     {"=:= of maps", twins(fun map/0), fun({A, B}) -> A =:= B end},
     {"< of maps", twins(fun map/0), fun({A, B}) -> A < B end},
     {"== of binaries", twins(fun bytes/0), fun({A, B}) -> A == B end},
     {"max/2", twins(fun list/0), fun({A, B}) -> max(A, B) end},
     {"apply(erlang, '==', ...)", twins(fun list/0), fun({A, B}) -> apply(erlang, '==', [A, B]) end},
     {"matching a repeated variable", twins(fun list/0), fun({A, B}) -> A = B end},
     {"lists:member of a long list in a list", fun() -> {big_key(), [big_key()]} end,
      fun({A, B}) -> lists:member(A, B) end},
     {"lists:keyfind of a long list", fun() -> {big_key(), [{big_key()}]} end,
      fun({A, B}) -> lists:keyfind(A, 1, B) end},
     {"lists:sort of long lists", fun() -> [lists:seq(1, 200000) ++ [N] || N <- lists:seq(1, 20)] end,
      fun lists:sort/1}].

hashing() ->
    [{"phash2", fun deep/0, fun(A) -> erlang:phash2(A) end},
     {"phash2 of a binary", fun bytes/0, fun(A) -> erlang:phash2(A) end},
     {"phash", fun deep/0, fun(A) -> erlang:phash(A, 1000) end},
     {"md5", fun bytes/0, fun erlang:md5/1},
     {"md5 of an iolist", fun iolist/0, fun erlang:md5/1},
     {"crc32", fun bytes/0, fun erlang:crc32/1},
     {"adler32 of an iolist", fun iolist/0, fun erlang:adler32/1}].

mapping() ->
    [{"maps:from_list", fun pairs/0, fun maps:from_list/1},
     {"maps:from_keys", fun list/0, fun(L) -> maps:from_keys(L, 1) end},
     {"maps:merge", twins(fun map/0), fun({A, B}) -> maps:merge(A, B#{x => 1}) end},
     {"maps:keys", fun map/0, fun maps:keys/1},
     {"maps:to_list", fun map/0, fun maps:to_list/1},
     {"maps:put of a large key", twins(fun big_key/0), fun({A, B}) -> maps:get(B, #{A => 1, B => 2}) end},
     {"a large key in a large map", fun() -> {map(), big_key()} end, fun({M, K}) -> M#{K => 1} end},
     {"map_get of a large key", fun() -> {(map())#{big_key() => 1}, big_key()} end, fun({M, K}) -> map_get(K, M) end}].

copying() ->
    [{"send", fun deep/0, fun(A) -> spawn(fun() -> receive never -> ok end end) ! A end},
     {"send to nobody", fun deep/0, fun(A) -> P = spawn(fun() -> ok end), erlang:yield(), P ! A end},
     {"send_after", fun deep/0, fun(A) -> erlang:send_after(10000000, self(), A) end},
     {"spawn with a large argument", fun deep/0, fun(A) -> spawn(erlang, length, [A]) end},
     {"exit with a large reason", fun deep/0,
      fun(A) -> {_, M} = spawn_monitor(fun() -> exit(A) end), receive {'DOWN', M, _, _, _} -> ok end end},
     {"exit/2 with a large reason", fun deep/0,
      fun(A) -> {P, M} = spawn_monitor(fun() -> receive never -> ok end end), exit(P, A),
                receive {'DOWN', M, _, _, _} -> ok end end},
     {"persistent_term:put and erase", fun deep/0,
      fun(A) -> persistent_term:put(latency, A), persistent_term:erase(latency) end},
     {"process_info(messages)",
      fun() -> P = spawn(fun() -> receive never -> ok end end), [P ! {N, [N]} || N <- lists:seq(1, 300000)], P end,
      fun(P) -> process_info(P, messages) end},
     {"a flooded queue", fun() -> P = spawn(fun() -> receive go -> receive never -> ok end end end),
                                  erlang:suspend_process(P), [P ! N || N <- lists:seq(1, ?MILLION)], P end,
      fun(P) -> erlang:resume_process(P), erlang:yield(), process_info(P, message_queue_len) end},
     {"a process with a flooded queue ends",
      fun() -> P = spawn(fun() -> receive never -> ok end end), [P ! {N, [N]} || N <- lists:seq(1, ?MILLION)], P end,
      fun(P) -> exit(P, kill), [erlang:yield() || _ <- lists:seq(1, 100)] end},
     {"a large process ends", fun() -> spawn(fun() -> A = deep(), receive never -> A end end) end,
      fun(P) -> exit(P, kill), [erlang:yield() || _ <- lists:seq(1, 100)] end}].

joining() ->
    [{"iolist_to_binary", fun iolist/0, fun erlang:iolist_to_binary/1},
     {"iolist_size", fun iolist/0, fun erlang:iolist_size/1},
     {"iolist_to_iovec", fun iolist/0, fun erlang:iolist_to_iovec/1},
     {"list_to_binary", fun() -> [N band 255 || N <- list()] end, fun erlang:list_to_binary/1},
     {"list_to_bitstring", fun() -> [<<N:3>> || N <- lists:seq(1, ?MILLION)] end, fun erlang:list_to_bitstring/1},
     {"binary_to_list", fun() -> binary:part(bytes(), 0, 10 * ?MILLION) end, fun erlang:binary_to_list/1},
     {"bitstring_to_list", fun() -> <<(binary:part(bytes(), 0, 10 * ?MILLION))/binary, 1:1>> end,
      fun erlang:bitstring_to_list/1},
     {"binary:copy", fun() -> <<"abcdefgh">> end, fun(B) -> binary:copy(B, 10 * ?MILLION) end},
     {"a binary appended to", fun bytes/0, fun(B) -> <<B/binary, 1>> end},
     {"a binary built at an odd bit", fun bytes/0, fun(B) -> <<1:1, B/binary>> end},
     {"binary:bin_to_list", fun() -> binary:part(bytes(), 0, 10 * ?MILLION) end, fun binary:bin_to_list/1},
     {"binary:list_to_bin", fun() -> [N band 255 || N <- list()] end, fun binary:list_to_bin/1},
     {"binary:encode_unsigned", integer(16 * ?MILLION), fun binary:encode_unsigned/1},
     {"binary:decode_unsigned", fun bytes/0, fun binary:decode_unsigned/1}].

searching() ->
    [{"binary:match", fun bytes/0, fun(B) -> binary:match(B, <<"op">>) end},
     {"binary:match of three", fun bytes/0, fun(B) -> binary:match(B, [<<"op">>, <<"xy">>, <<"n,b">>]) end},
     {"binary:matches", fun bytes/0, fun(B) -> binary:matches(B, <<"ab">>) end},
     {"binary:split", fun bytes/0, fun(B) -> binary:split(B, <<",">>, [global]) end},
     {"binary:replace", fun bytes/0, fun(B) -> binary:replace(B, <<",">>, <<";">>, [global]) end},
     {"binary:longest_common_prefix", fun() -> [bytes(), bytes()] end, fun binary:longest_common_prefix/1},
     {"binary:longest_common_suffix", fun() -> [bytes(), bytes()] end, fun binary:longest_common_suffix/1},
     {"re:run, pathological", fun() -> binary:copy(<<"a">>, 30) end,
      fun(B) -> re:run(B, "(a+)+b", [report_errors]) end},
     {"re:run over much", fun bytes/0, fun(B) -> re:run(B, "op") end},
     {"re:run over much, UTF-8", fun bytes/0, fun(B) -> re:run(B, "op", [unicode]) end},
     {"re:split", fun() -> binary:part(bytes(), 0, ?MILLION) end, fun(B) -> re:split(B, ",") end}].

listing() ->
    [{"length/1", fun list/0, fun(L) -> length(L) end},
     {"lists:reverse", fun list/0, fun lists:reverse/1},
     {"lists:member", fun list/0, fun(L) -> lists:member(x, L) end},
     {"lists:keyfind", fun pairs/0, fun(L) -> lists:keyfind(x, 1, L) end},
     {"++", fun list/0, fun(L) -> L ++ [1] end},
     {"--", twins(fun list/0), fun({A, B}) -> A -- B end},
     {"-- of a short list", fun list/0, fun(A) -> A -- [x, y, z] end},
     {"list_to_tuple", fun list/0, fun erlang:list_to_tuple/1},
     {"tuple_to_list", fun() -> list_to_tuple(list()) end, fun erlang:tuple_to_list/1},
     {"setelement", fun() -> list_to_tuple(list()) end, fun(T) -> setelement(1, T, x) end},
     {"make_tuple", fun() -> 5 * ?MILLION end, fun(N) -> erlang:make_tuple(N, []) end}].

converting() ->
    [{"term_to_binary", fun deep/0, fun erlang:term_to_binary/1},
     {"term_to_binary, compressed", fun deep/0, fun(T) -> term_to_binary(T, [compressed]) end},
     {"external_size", fun deep/0, fun erlang:external_size/1},
     {"binary_to_term", fun() -> term_to_binary(deep()) end, fun erlang:binary_to_term/1},
     {"binary_to_term, compressed", fun() -> term_to_binary(deep(), [compressed]) end, fun erlang:binary_to_term/1},
     {"binary_to_term of a map", fun() -> term_to_binary(map()) end, fun erlang:binary_to_term/1},
     {"unicode:characters_to_binary", fun list/0,
      fun(L) -> unicode:characters_to_binary([N band 1023 || N <- L]) end},
     {"unicode:characters_to_list", fun() -> binary:part(bytes(), 0, 5 * ?MILLION) end,
      fun unicode:characters_to_list/1},
     {"zlib:compress", fun bytes/0, fun zlib:compress/1},
     {"zlib:uncompress", fun() -> zlib:compress(bytes()) end, fun zlib:uncompress/1},
     {"base64:encode", fun() -> binary:part(bytes(), 0, ?MILLION) end, fun base64:encode/1}].

numbers() ->
    [{"integer_to_list", integer(200000), fun erlang:integer_to_list/1},
     {"integer_to_binary", integer(200000), fun erlang:integer_to_binary/1},
     {"list_to_integer", fun() -> lists:duplicate(60000, $7) end, fun erlang:list_to_integer/1},
     {"binary_to_integer", fun() -> binary:copy(<<"7">>, 60000) end, fun erlang:binary_to_integer/1},
     {"*", integer(3 * ?MILLION), fun(N) -> N * (N + 1) end},
     {"div", fun() -> {(1 bsl (3 * ?MILLION)) - 1, (1 bsl (1500000)) + 7} end, fun({A, B}) -> A div B end},
     {"rem", fun() -> {(1 bsl (3 * ?MILLION)) - 1, (1 bsl (1500000)) + 7} end, fun({A, B}) -> A rem B end},
     {"bsl", fun() -> 7 end, fun(N) -> N bsl (16 * ?MILLION) end},
     {"+", integer(16 * ?MILLION), fun(N) -> N + 1 end}].

tables() ->
    [{"ets:insert of a long list", fun() -> {ets:new(t, []), pairs()} end, fun({T, L}) -> ets:insert(T, L) end},
     {"ets:insert of a large object", fun() -> {ets:new(t, []), deep()} end, fun({T, L}) -> ets:insert(T, {x, L}) end},
     {"ets:insert with a large key", fun() -> {ets:new(t, []), big_key()} end, fun({T, K}) -> ets:insert(T, {K}) end},
     {"ets:lookup of a large object", fun() -> T = ets:new(t, []), ets:insert(T, {x, deep()}), T end,
      fun(T) -> ets:lookup(T, x) end},
     {"ets:lookup_element of a large object", fun() -> T = ets:new(t, []), ets:insert(T, {x, deep()}), T end,
      fun(T) -> ets:lookup_element(T, x, 2) end},
     {"ets:lookup of a large key",
      fun() -> T = ets:new(t, [ordered_set]), ets:insert(T, {big_key()}), {T, big_key()} end,
      fun({T, K}) -> ets:lookup(T, K) end},
     {"ets:lookup of a large bag", fun bag/0, fun(T) -> ets:lookup(T, x) end},
     {"ets:delete of a large table", fun table/0, fun ets:delete/1},
     {"ets:delete_all_objects", fun table/0, fun ets:delete_all_objects/1},
     {"ets:delete of a large bag", fun bag/0, fun(T) -> ets:delete(T, x) end},
     {"ets:tab2list", fun table/0, fun ets:tab2list/1},
     {"ets:tab2list, ordered", fun() -> table(ordered_set) end, fun ets:tab2list/1},
     {"ets:select", fun table/0, fun(T) -> ets:select(T, [{{'_', '$1'}, [{'>', '$1', 100}], ['$1']}]) end},
     {"ets:select_delete", fun table/0, fun(T) -> ets:select_delete(T, [{{'_', '_'}, [], [true]}]) end},
     {"ets:match_delete when fixed, then released",
      fun() -> T = table(), ets:safe_fixtable(T, true), ets:match_delete(T, {'_', '_'}), T end,
      fun(T) -> ets:safe_fixtable(T, false) end},
     {"ets: an owner ends", fun() -> spawn(fun() -> table(), receive never -> ok end end) end,
      fun(P) -> timer:sleep(300), exit(P, kill), [erlang:yield() || _ <- lists:seq(1, 10000)] end}].

others() ->
    [{"garbage_collect", fun deep/0, fun(A) -> erlang:garbage_collect(), keep(A) end},
     {"garbage collections of a growing heap", fun() -> 1 end, fun(_) -> deep() end},
     {"garbage_collect of another", fun() -> spawn(fun() -> A = deep(), receive never -> keep(A) end end) end,
      fun(P) -> timer:sleep(300), erlang:garbage_collect(P) end},
     {"erts_debug:flat_size", fun deep/0, fun erts_debug:flat_size/1},
     {"list_to_atom, bad", fun list/0, fun(L) -> catch list_to_atom(L) end},
     {"io_lib:format", fun() -> lists:seq(1, 20000) end, fun(L) -> io_lib:format("~p", [L]) end}].
