%% Built-in functions on small and middling terms: what they cost beside the call itself.
-module(b_builtins).
-export([group/0, benchmarks/0]).

group() -> built_ins.

benchmarks() -> asking() ++ terms() ++ texts() ++ others().

%% Of processes, and of oneself.
asking() ->
    Idle = spawn(fun idle/0),
    {Self, Term} = {self(), term()},
    [row("message_queue_len of another", 5000, fun() -> process_info(Idle, message_queue_len) end),
     row("several items of another", 2000, fun() -> process_info(Idle, [memory, status, messages]) end),
     row("message_queue_len, own", 5000, fun() -> process_info(Self, message_queue_len) end),
     row("collect another", 2000, fun() -> garbage_collect(Idle) end),
     row("collect oneself", 2000, fun() -> garbage_collect() end),
     row("yield", 5000, fun() -> erlang:yield() end),
     row("receive after 0", 20000, fun() -> receive never -> ok after 0 -> ok end end),
     row("send a term to oneself", 5000, fun() -> self() ! Term, receive T -> T end end),
     row("whereis", 20000, fun() -> whereis(init) end),
     row("put and get", 20000, fun() -> put(a, get(a)) end)].

terms() ->
    Term = term(),
    {Numbers, SameNumbers} = {lists:seq(1, 1000), lists:seq(1, 1000)},
    {Tuples, SameTuples} = {tuples(), tuples()},
    {Map, SameMap} = {map(1000), map(1000)},
    {Small, SameSmall} = {map(10), map(10)},
    Options = #{host => "a", port => 1, user => x, timeout => 5, retries => 3},
    More = #{port => 2, timeout => 1, debug => true},
    {Half, Near} = {maps:from_list([{N, N} || N <- lists:seq(500, 1500)]), Map#{1 => 2, 77 => 3, 2000 => x}},
    persistent_term:put(?MODULE, Small),
    persistent_term:put({?MODULE, 1}, Small),
    [row("compare lists", 100, fun() -> Numbers < SameNumbers end),
     row("tuples, =:=", 100, fun() -> Tuples =:= SameTuples end),
     row("tuples, <", 100, fun() -> Tuples < SameTuples end),
     row("large maps, <", 20, fun() -> Map < SameMap end),
     row("small maps, <", 5000, fun() -> Small < SameSmall end),
     row("small maps, =:=", 5000, fun() -> Small =:= SameSmall end),
     row("a small map as a list", 5000, fun() -> maps:to_list(Small) end),
     row("a large map as a list", 50, fun() -> maps:to_list(Map) end),
     row("fold over a small map", 2000, fun() -> maps:fold(fun(_, Value, Sum) -> Value + Sum end, 0, Small) end),
     row("phash2 of a tuple", 5000, fun() -> erlang:phash2({a, 1, <<"abcdef">>, [1, 2, 3], Small}) end),
     row("phash2 of numbers", 100, fun() -> erlang:phash2(Numbers) end),
     row("term_to_binary, small", 5000, fun() -> term_to_binary({a, 1, "abc"}) end),
     row("external_size", 1000, fun() -> erlang:external_size(Term) end),
     row("++", 100, fun() -> Numbers ++ [x] end),
     row("--", 100, fun() -> Numbers -- SameNumbers end),
     row("persistent_term:get", 20000, fun() -> persistent_term:get(?MODULE) end),
     row("persistent_term:get, a tuple", 20000, fun() -> persistent_term:get({?MODULE, 1}) end),
     row("merge large maps", 1, fun() -> maps:merge(Map, SameMap) end),
     row("merge, half in common", 1, fun() -> maps:merge(Map, Half) end),
     row("merge with a near copy", 1, fun() -> maps:merge(Map, Near) end),
     row("merge small maps", 1000, fun() -> maps:merge(Options, More) end)].

texts() ->
    Small = lists:duplicate(10000, <<"abc">>),
    Chars = lists:duplicate(10000, $a),
    Deep = lists:foldl(fun(_, Deep) -> [[Deep, $a], <<"bc">>] end, [], lists:seq(1, 10000)),
    Bytes = binary:copy(<<"abcdefghij">>, 1000),
    Words = binary:copy(<<"abcd,">>, 1000),
    {ok, Regexp} = re:compile("(\\d+)-(\\d+)"),
    [row("iolist of small binaries", 1, fun() -> iolist_to_binary(Small) end),
     row("iolist of bytes", 1, fun() -> iolist_to_binary(Chars) end),
     row("deep iolist", 1, fun() -> iolist_to_binary(Deep) end),
     row("shortest float", 5000, fun() -> float_to_binary(3.14159e10, [short]) end),
     row("integer_to_binary", 5000, fun() -> integer_to_binary(1234567) end),
     row("list_to_atom", 5000, fun() -> list_to_atom("hello") end),
     row("characters_to_list", 20, fun() -> unicode:characters_to_list(Bytes) end),
     row("binary_to_list", 20, fun() -> binary_to_list(Bytes) end),
     row("replace in a binary", 5, fun() -> binary:replace(Words, <<",">>, <<"--">>, [global]) end),
     row("matches in a binary", 50, fun() -> binary:matches(Words, <<",">>) end),
     row("split a small binary", 5000, fun() -> binary:split(<<"abcd,efgh">>, <<",">>) end),
     row("match in a small binary", 5000, fun() -> binary:match(<<"abcd,efgh">>, <<",">>) end),
     row("match in a binary", 50, fun() -> binary:match(Bytes, <<"xyz">>) end),
     row("re:run", 2000, fun() -> re:run("abc 123-456", Regexp, [{capture, all, list}]) end)].

others() ->
    Tree = ets:new(tree, [ordered_set, public]),
    [ets:insert(Tree, {N, N}) || N <- lists:seq(1, 10000)],
    Set = ets:new(set, [public]),
    [ets:insert(Set, {N, N}) || N <- lists:seq(1, 10000)],
    Counters = counters:new(1, []),
    Bytes = binary:copy(<<1>>, 10000),
    [row("look-up in an ordered set", 5000, fun() -> ets:lookup(Tree, 5000) end),
     row("next in an ordered set", 5000, fun() -> ets:next(Tree, 6000) end),
     row("insert where one is, ordered", 5000, fun() -> ets:insert(Tree, {7000, x}) end),
     row("insert where one is", 5000, fun() -> ets:insert(Set, {7000, x}) end),
     row("update_element", 5000, fun() -> ets:update_element(Set, 7000, {2, y}) end),
     row("update_counter", 5000, fun() -> ets:update_counter(Set, 5000, 1) end),
     row("update_counter, a list of one", 5000, fun() -> ets:update_counter(Set, 5000, [{2, 1}]) end),
     row("counters:add", 20000, fun() -> counters:add(Counters, 1, 1) end),
     row("make_ref", 20000, fun() -> make_ref() end),
     row("set and cancel a timer", 5000, fun() -> erlang:cancel_timer(erlang:send_after(100000, self(), x)) end),
     row("md5", 50, fun() -> erlang:md5(Bytes) end),
     row("crc32", 50, fun() -> erlang:crc32(Bytes) end)].

row(Name, Times, Fun) -> {"built-ins: " ++ Name, fun() -> times(Times, Fun) end}.

idle() -> receive stop -> ok end.
map(Size) -> maps:from_list([{N, N} || N <- lists:seq(1, Size)]).
tuples() -> [{N, a, [N]} || N <- lists:seq(1, 300)].
term() -> [{N, N rem 10, <<"binary">>, "string", 1.5, #{a => N}} || N <- lists:seq(1, 20)].

times(0, _) -> ok;
times(N, Fun) -> Fun(), times(N - 1, Fun).
