%% Terms of all kinds go to another node and come back as they were; messages come once, in order, to whom they are
%% for.
-module(c_send).
-export([main/0, echo/0, collect/1, described/1, relay/1]).

-import(cluster, [do/2, call/2, call/4, start/1, start/2, got/1, rest/0, deep/2]).

main() ->
    B = start(b),
    C = start(c),
    cluster:connect(B),
    cluster:connect(C),
    Old = earlier(),
    Echo = call(B, erlang, spawn, [?MODULE, echo, []]),
    [echoed(Echo, Name, T) || {Name, T} <- plain() ++ named(B, C, Old)],
    cluster:kill(d@localhost),
    [do(["binaries of ", integer_to_list(N)], fun() -> same(Echo, binary(N)) end) || N <- [0, 1, 63, 64, 65, 65535,
        65536,
        65537, 1 bsl 20, 5000001, deep(10, 20) bsl 20]],
    do("a list of binaries", fun() -> same(Echo, [binary(N) || N <- lists:seq(1, 300)]) end),
    do("a list of large binaries", fun() -> same(Echo, [binary(200000 + N) || N <- lists:seq(1, 20)]) end),
    do("generated", fun() -> generated(Echo, deep(300, 10000)) end),
    funs(Echo, B),
    atoms(Echo),
    names(B, C),
    aliases(B),
    order(B),
    many(B),
    through(B, C),
    options(B),
    wide(Echo).

%% Identifiers of a node that has been restarted since.
earlier() ->
    D = start(d),
    Get = fun() -> [self(), make_ref(), hd(erlang:ports()), whereis(init)] end,
    Old = call(D, Get),
    cluster:kill(D),
    D = start(d),
    cluster:connect(D),
    {Old, call(D, Get)}.

echo() -> receive {From, Ref, T} -> From ! {Ref, T, described(T)}, echo() end.

%% What the other side holds is what was sent, not only what comes back.
described(T) -> {erlang:phash2(T), kind(T)}.

kind(T) when is_function(T) -> 'fun';
kind(T) when is_binary(T) -> {binary, byte_size(T), erlang:md5(T)};
kind(T) when is_bitstring(T) -> {bitstring, bit_size(T)};
kind(T) when is_pid(T); is_reference(T); is_port(T) -> {node(T)};
kind(T) when is_float(T) -> <<T/float>>;
kind(T) when is_list(T) -> list;
kind(T) when is_tuple(T) -> {tuple, tuple_size(T)};
kind(T) when is_map(T) -> {map, map_size(T)};
kind(T) when is_atom(T) -> atom;
kind(T) when is_integer(T) -> integer.

send(Echo, T) ->
    Ref = make_ref(),
    Echo ! {self(), Ref, T},
    receive {Ref, Back, Described} -> {Back, Described} after 90000 -> waited_too_long end.

same(Echo, T) ->
    {Back, Described} = send(Echo, T),
    {Back =:= T, Described =:= described(T)}.

echoed(Echo, Name, T) -> do(Name, fun() -> same(Echo, T) end).

binary(N) ->
    Some = << <<(I * 7 + (I bsr 8)):8>> || I <- lists:seq(1, 4099) >>,
    binary:part(binary:copy(Some, N div 4099 + 1), 0, N).

%% --- terms ---------------------------------------------------------------------------------------------------------

plain() ->
    Bits = <<1, 2, 3, 4, 5, 6, 7:3>>,
    <<_:3, Unaligned:33/bitstring, _/bits>> = <<16#123456789abcdef0:64>>,
    <<_:100/binary, Sub:50/binary, _/binary>> = binary(300),
    [{"small integers", [0, 1, -1, 255, 256, -256, 1 bsl 27, -(1 bsl 27) - 1, 1 bsl 31, -(1 bsl 31), 1 bsl 59,
        -(1 bsl 59)]},
     {"big integers", [(1 bsl B) + D || B <- [59, 60, 63, 64, 127, 128, 255 * 8, 256 * 8, 5000], D <- [-1, 0, 1]]},
     {"negative ones", [-(1 bsl B) + D || B <- [59, 60, 63, 64, 127, 128, 255 * 8, 256 * 8, 5000], D <- [-1, 0, 1]]},
     {"a huge integer", 1 bsl 500000},
     {"floats", [0.0, -0.0, 1.0, -1.5, 1.0e308, 2.2250738585072014e-308, 5.0e-324, 3.141592653589793]},
     {"minus zero", -0.0},
     {"atoms", ['', a, ok, 'with space', 'ä', 'λ', '日本', list_to_atom(lists:duplicate(255, $a)),
                list_to_atom(lists:duplicate(255, 955)), true, undefined]},
     {"nil", []}, {"strings", ["", "abc", lists:duplicate(65535, $x), lists:duplicate(65536, $x), [255, 256]]},
     {"lists", [[a], [a | b], [1, 2 | 3], [[[[]]]], lists:seq(1, 1000)]},
     {"tuples", [{}, {1}, {{}, {{}}}, list_to_tuple(lists:seq(1, 255)), list_to_tuple(lists:seq(1, 256))]},
     {"a deep list", lists:foldl(fun(_, L) -> [L] end, [], lists:seq(1, 100000))},
     {"a deep tuple", lists:foldl(fun(I, T) -> {I, T} end, {}, lists:seq(1, 100000))},
     {"small maps", [#{}, #{a => 1}, #{1 => a, 1.0 => b, "s" => c, <<"b">> => d}, #{#{} => #{}}]},
     {"maps of 32 and 33", [maps:from_list([{I, I} || I <- lists:seq(1, N)]) || N <- [32, 33]]},
     {"a large map", maps:from_list([{{I, integer_to_list(I)}, I} || I <- lists:seq(1, 5000)])},
     {"maps in maps", lists:foldl(fun(I, M) -> #{I => M} end, #{}, lists:seq(1, 500))},
     {"bitstrings", [<<>>, <<1:1>>, <<5:3>>, Bits, Unaligned, <<0:7>>, <<1:513>>]},
     {"a bitstring", Unaligned}, {"a sub-binary", Sub}, {"sub-binaries", [Sub, binary:part(Sub, 1, 3)]},
     {"an iolist", [<<"a">>, ["b", <<"c">>], $d]},
     {"the same twice", (fun(T) -> {T, [T], #{k => T}} end)({binary(1000), lists:seq(1, 100)})}].

named(B, C, {Old, New}) ->
    Of = fun() -> [self(), make_ref(), hd(erlang:ports()), whereis(init)] end,
    [{"identifiers of here", Of()}, {"of there", rpc:call(B, erlang, apply, [Of, []])},
     {"of the third", rpc:call(C, erlang, apply, [Of, []])}, {"of a node that was", Old}, {"of the one that is", New},
     {"a pid", self()}, {"a reference", make_ref()}, {"a port", hd(erlang:ports())}, {"an alias",
         alias([explicit_unalias])},
     {"a hidden reference", element(2, hd([{x, monitor(process, self())}]))},
     {"an old pid as a key", maps:from_list([{P, 1} || P <- Old ++ New])},
     {"funs of modules", [fun lists:map/2, fun erlang:self/0, fun no_such:thing/3, fun ?MODULE:echo/0]}].

funs(Echo, B) ->
    X = {some, <<"environment">>, 12.5, self()},
    F0 = fun() -> 1 end,
    F1 = fun(Y) -> {X, Y} end,
    F2 = fun(Y) -> F1({F0(), Y}) end,
    do("a fun", fun() -> same(Echo, F0) end),
    do("a fun with values", fun() -> {Back, _} = send(Echo, F2), {Back =:= F2, Back(7) =:= F2(7)} end),
    do("funs of a recursive kind", fun() -> same(Echo, fun Loop(0) -> X; Loop(N) -> Loop(N - 1) end) end),
    do("called there", fun() -> rpc:call(B, erlang, apply, [F2, [3]]) =:= F2(3) end),
    do("what there is of it", fun() ->
        Infos = [module, name, arity, env, type, index, uniq, new_uniq, new_index],
        There = rpc:call(B, erlang, apply, [fun(F) -> [erlang:fun_info(F, I) || I <- Infos] end, [F2]]),
        There =:= [erlang:fun_info(F2, I) || I <- Infos]
    end),
    do("a fun of the shell", fun() ->
        F = evaluated("fun(A) -> A + 1 end."),
        {same(Echo, F), rpc:call(B, erlang, apply, [F, [41]])}
    end),
    do("a fun of a module that is not there", fun() ->
        {ok, M, Code} = compile:forms([{attribute, 1, module, only_here}, {attribute, 1, export, [{get, 1}]},
            {function, 1, get, 1, [{clause, 1, [{var, 1, 'V'}], [], [{'fun', 1, {clauses, [{clause, 1, [], [],
                [{var, 1, 'V'}]}]}}]}]}]),
        {module, M} = code:load_binary(M, "only_here", Code),
        F = M:get({v, 1}),
        {Back, _} = send(Echo, F),
        There = rpc:call(B, erlang, apply, [fun(G) ->
            {erlang:fun_info(G, module), erlang:fun_info(G, arity), erlang:fun_info(G, env), is_function(G, 0),
             try G() catch Class:R -> {Class, R} end}
        end, [F]]),
        {Back =:= F, Back(), There}
    end).

evaluated(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Expressions} = erl_parse:parse_exprs(Tokens),
    {value, Value, _} = erl_eval:exprs(Expressions, []),
    Value.

%% Random terms, of a seed.
generated(Echo, Count) ->
    rand:seed(exsss, 4711),
    Pids = [self(), Echo, make_ref()],
    Wrong = [T || _ <- lists:seq(1, Count), T <- [term(6, Pids)], same(Echo, T) =/= {true, true}],
    {length(Wrong), lists:sublist(Wrong, 2)}.

term(0, Pids) -> leaf(rand:uniform(9), Pids);
term(Depth, Pids) ->
    Some = fun(Max) -> [term(Depth - 1, Pids) || _ <- lists:seq(1, rand:uniform(Max) - 1)] end,
    case rand:uniform(8) of
        1 -> Some(5);
        2 -> list_to_tuple(Some(5));
        3 -> maps:from_list([{K, K} || K <- Some(4)]);
        4 -> maps:from_list([{leaf(rand:uniform(9), Pids), I} || I <- lists:seq(1, rand:uniform(50))]);
        5 -> Some(3) ++ leaf(rand:uniform(9), Pids);
        _ -> leaf(rand:uniform(9), Pids)
    end.

leaf(1, _) -> rand:uniform(1000) - 500;
leaf(2, _) -> (rand:uniform(1 bsl 60) - (1 bsl 59)) bsl rand:uniform(100);
leaf(3, _) -> rand:normal();
leaf(4, _) -> list_to_atom([$a + rand:uniform(20), 900 + rand:uniform(3000)]);
leaf(5, _) -> rand:bytes(rand:uniform(100));
leaf(6, _) -> N = rand:uniform(90), <<_:N, Rest/bits>> = rand:bytes(20), Rest;
leaf(7, Pids) -> lists:nth(rand:uniform(length(Pids)), Pids);
leaf(8, _) -> lists:seq(1, rand:uniform(20));
leaf(9, _) -> lists:nth(rand:uniform(4), [fun lists:map/2, [], {}, <<>>]).

%% More atoms than the cache of a connection has places, some again and again.
atoms(Echo) ->
    do("atoms", fun() ->
        All = [list_to_atom("atom " ++ integer_to_list(I)) || I <- lists:seq(1, deep(6000, 30000))],
        One = same(Echo, All),
        Two = lists:usort([same(Echo, {A, ok, [A, lists:nth(1, All)]}) || A <- lists:sublist(All, 3000)]),
        Three = lists:usort([same(Echo, lists:sublist(All, I * 250 + 1, 256)) || I <- lists:seq(0, 15)]),
        {One, Two, Three}
    end),
    do("long atoms", fun() ->
        All = [list_to_atom(lists:duplicate(250, Char) ++ integer_to_list(I)) || I <- lists:seq(1, 600), Char <- [$a,
            955]],
        {same(Echo, All), lists:usort([same(Echo, [A]) || A <- All])}
    end).

%% --- to whom -------------------------------------------------------------------------------------------------------

names(B, C) ->
    do("to a name", fun() ->
        Self = self(),
        call(B, fun() -> spawn(fun() -> register(relaying, self()), Self ! ready, relay(relaying) end), ok end),
        [ready] = got(1),
        [{relaying, B} ! {Self, I} || I <- [1, 2, 3]],
        erlang:send({relaying, B}, {Self, 4}),
        R = got(4),
        {relaying, B} ! stop,
        R
    end),
    do("to a name of nobody", fun() ->
        R = [({nobody_of_this_name, N} ! hello) || N <- [B, C, node()]],
        {R, rpc:call(B, erlang, node, []) =:= B}
    end),
    do("to a name of here", fun() ->
        register(me, self()),
        Here = node(),
        rpc:call(B, erlang, send, [{me, Here}, from_there]),
        {me, Here} ! from_here,
        got(2)
    end),
    do("wrong", fun() ->
        [try erlang:send(To, m, O) catch Class:R -> {Class, R} end || {To, O} <- [{{1, B}, []}, {{a, 1}, []}, {{a, B,
            c}, []},
            {{a, B}, [foo]}, {{a, B}, foo}]]
    end).

relay(Name) ->
    receive
        stop -> ok;
        {To, M} -> To ! {Name, M, node()}, relay(Name)
    end.

aliases(B) ->
    do("to an alias", fun() ->
        Send = fun(Alias, M) -> rpc:call(B, erlang, send, [Alias, M]), rpc:call(B, erlang, node, []) end,
        A = alias(),
        Send(A, one), Send(A, two),
        unalias(A),
        Send(A, three),
        R = alias([reply]),
        Send(R, four), Send(R, five),
        E = alias([explicit_unalias]),
        Send(E, six), Send(E, seven),
        rest()
    end),
    do("to an alias of there", fun() ->
        Self = self(),
        Pid = call(B, fun() ->
            spawn(fun() ->
                A = alias(),
                Self ! {alias, A},
                receive {one, _} -> ok end,
                unalias(A),
                Self ! off,
                receive {_, _} = M -> Self ! M end
            end)
        end),
        [{alias, A}] = got(1),
        A ! {one, 1},
        [off] = got(1),
        A ! {two, 2},
        Pid ! {three, 3},
        got(1)
    end),
    do("to the alias of a monitor", fun() ->
        Pid = call(B, erlang, spawn, [?MODULE, echo, []]),
        [begin
             Alias = monitor(process, Pid, [{alias, How}]),
             Pid ! {Alias, r, 1},
             Pid ! {Alias, r, 2},
             Pid ! {self(), r, 3},
             Wait = fun Wait(L) -> receive {r, 3, _} -> lists:reverse(L); {r, N, _} -> Wait([N | L]) end end,
             R = Wait([]),
             demonitor(Alias, [flush]),
             Pid ! {Alias, r, 4},
             Pid ! {self(), r, 3},
             {How, R, Wait([]), unalias(Alias)}
         end || How <- [explicit_unalias, demonitor, reply_demonitor]]
    end).

%% Small messages stay behind the large ones before them, of each pair.
order(B) ->
    do("order", fun() ->
        Self = self(),
        Pid = call(B, erlang, spawn, [?MODULE, collect, [Self]]),
        Big = binary(deep(2000000, 5000000)),
        [Pid ! case I rem 10 of 0 -> {I, Big}; 5 -> {I, binary(70000)}; _ -> {I, I} end || I <- lists:seq(1,
            deep(100, 300))],
        Pid ! done,
        [{collected, L}] = got(1),
        {length(L), L =:= lists:seq(1, deep(100, 300))}
    end),
    do("order back", fun() ->
        Self = self(),
        call(B, fun() ->
            [Self ! {I, binary(if I rem 7 =:= 0 -> 300000; true -> 3 end)} || I <- lists:seq(1, 200)], ok
        end),
        [I || {I, _} <- got(200)] =:= lists:seq(1, 200)
    end),
    do("order of signals", fun() ->
        Echo = call(B, erlang, spawn, [?MODULE, collect, [self()]]),
        Monitor = monitor(process, Echo),
        [Echo ! {I, binary(100000)} || I <- lists:seq(1, 20)],
        Echo ! done,
        [{collected, L}, {'DOWN', Monitor, process, Echo, normal}] = got(2),
        L =:= lists:seq(1, 20)
    end).

collect(To) -> collect(To, []).
collect(To, L) ->
    receive
        {I, _} -> collect(To, [I | L]);
        done -> To ! {collected, lists:reverse(L)}
    end.

many(B) ->
    do("many", fun() ->
        Count = deep(200, 2000),
        Self = self(),
        Pid = call(B, fun() -> spawn(fun() -> tally(#{}, 50 * Count, Self) end) end),
        [spawn_link(fun() -> [Pid ! {From, I, binary(I rem 100)} || I <- lists:seq(1, Count)] end)
         || From <- lists:seq(1, 50)],
        got(1)
    end),
    do("much both ways", fun() ->
        Count = deep(30, 300),
        Self = self(),
        There = call(B, fun() -> spawn(fun() -> heavy(#{}, 10 * Count, Self) end) end),
        Here = spawn_link(fun() -> heavy(#{}, 10 * Count, Self) end),
        call(B, fun() -> [spawn(fun() -> send_heavy(Here, From, Count) end) || From <- lists:seq(1, 10)], ok end),
        [spawn_link(fun() -> send_heavy(There, From, Count) end) || From <- lists:seq(1, 10)],
        got(2)
    end),
    do("many answers", fun() ->
        Pid = call(B, erlang, spawn, [?MODULE, echo, []]),
        Self = self(),
        [spawn_link(fun() -> Self ! {done, lists:usort([same(Pid, {From, I}) || I <- lists:seq(1, 50)])} end)
         || From <- lists:seq(1, 50)],
        lists:usort(got(50))
    end).

send_heavy(To, From, Count) -> [To ! {From, I, binary(60000 + I)} || I <- lists:seq(1, Count)].

heavy(_, 0, To) -> To ! heavy_in_order;
heavy(Last, Left, To) ->
    receive
        {From, I, Data} ->
            case maps:get(From, Last, 0) of
                Before when Before + 1 =:= I, byte_size(Data) =:= 60000 + I -> heavy(Last#{From => I}, Left - 1, To);
                Before -> To ! {out_of_order, From, Before, I}
            end
    end.

%% Each sender's come in order.
tally(_, 0, To) -> To ! {all, in_order};
tally(Last, Left, To) ->
    receive
        {From, I, Data} ->
            case maps:get(From, Last, 0) of
                Before when Before + 1 =:= I, byte_size(Data) =:= I rem 100 -> tally(Last#{From => I}, Left - 1, To);
                Before -> To ! {out_of_order, From, Before, I}
            end
    end.

through(B, C) ->
    do("to itself through others", fun() ->
        Self = self(),
        One = call(B, erlang, spawn, [?MODULE, relay, [one]]),
        Two = call(C, erlang, spawn, [?MODULE, relay, [two]]),
        One ! {Two, {Self, {self, Self, node(Self)}}},
        Two ! {One, {Self, x}},
        [One ! {Self, I} || I <- [1, 2]],
        lists:sort(got(2))
    end),
    do("between two others", fun() ->
        Self = self(),
        Pid = call(C, erlang, spawn, [?MODULE, echo, []]),
        call(B, fun() ->
            lists:usort([begin Pid ! {self(), r, T}, receive {r, T, D} -> D =:= described(T) end end
                         || T <- [Self, Pid, self(), node(), binary(100000)]])
        end)
    end).

options(B) ->
    do("options", fun() ->
        Pid = call(B, erlang, spawn, [?MODULE, echo, []]),
        R = [erlang:send(Pid, {self(), I, x}, O) || {I, O} <- [{1, [nosuspend]}, {2, [noconnect]}, {3, [noconnect,
            nosuspend]},
                                                              {4, []}]],
        {R, erlang:send_nosuspend(Pid, {self(), 5, x}), [I || {I, x, _} <- got(5)]}
    end),
    do("to a node that is not connected", fun() ->
        D = start(d),
        Pid = call(D, erlang, spawn, [?MODULE, echo, []]),
        R = [erlang:send(To, {self(), 1, x}, O) || To <- [Pid, {name, D}], O <- [[noconnect], [noconnect,
            nosuspend]]],
        Nodes = lists:member(D, nodes()),
        erlang:send(Pid, {self(), 2, x}, [nosuspend]),
        {R, Nodes, [I || {I, x, _} <- got(1)], lists:member(D, nodes())}
    end),
    do("a send connects", fun() ->
        D = start(d),
        Pid = call(D, erlang, spawn, [?MODULE, echo, []]),
        [Pid ! {self(), I, binary(I * 1000)} || I <- lists:seq(1, 50)],
        [I || {I, _, _} <- got(50)] =:= lists:seq(1, 50)
    end).

%% Many terms in one message.
wide(Echo) ->
    do("a wide term", fun() -> same(Echo, [{I, <<I:32>>, [I], #{I => I}, I / 3} || I <- lists:seq(1, deep(100000,
        500000))]) end),
    do("many identifiers", fun() -> same(Echo, [{make_ref(), self(), Echo, I} || I <- lists:seq(1, 30000)]) end).
