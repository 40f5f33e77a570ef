%% A node with processes whose terms are known; it writes to a file what a crash dump is to show of them, then ends with
%% a slogan. For test/scenario/crash_dump.
-module(crash_dump_node).
-export([start/1, wait/4, busy/1, funs/0]).
-export([with_funs/1]).

-define(CONSTANT, {constant, "of the module", #{in => [a, map, 1.5], 2.5 => <<"bin">>}, 1 bsl 100}).

start([File, Seed]) ->
    rand:seed(exsss, list_to_integer(atom_to_list(Seed))),
    Expected = [process(N) || N <- lists:seq(1, 5)] ++ special(),
    Persistent = [{{?MODULE, N}, term(3)} || N <- lists:seq(1, 10)],
    [persistent_term:put(K, V) || {K, V} <- Persistent],
    tables(),
    Timers = timers(),
    register(a_port, open_port({spawn, "cat"}, [])),
    [settle(P) || {P, _, _, _} <- Expected],
    Others = processes() -- [P || {P, _, _, _} <- Expected],
    write(atom_to_list(File), {Expected, Persistent, Timers, processes()}),
    [garbage_collect(P) || P <- Others], % nobody looks for what they had: the reader takes a second for 4 MB
    halt("a slogan\nof two lines").

write(File, What) -> ok = file:write_file(File, term_to_binary(expected(What))).

%% Has it got its messages, and come to rest?
settle(P) ->
    case process_info(P, [status, message_queue_len]) of
        [{status, S}, _] when S =:= waiting; S =:= suspended; S =:= running; S =:= runnable -> ok
    end.

process(N) ->
    Dictionary = [{{key, I, term(1)}, term(3)} || I <- lists:seq(1, rand:uniform(10))],
    Stack = term(3),
    Messages = [term(3) || _ <- lists:seq(1, rand:uniform(5))],
    P = spawn(?MODULE, wait, [self(), N, Dictionary, Stack]),
    receive {P, ready} -> ok end,
    [P ! M || M <- Messages],
    rand:uniform(3) =:= 1 andalso erlang:garbage_collect(P),
    {P, Dictionary, Stack, Messages}.

wait(From, N, Dictionary, Stack) ->
    [put(K, V) || {K, V} <- Dictionary],
    N rem 2 =:= 0 andalso lists:sum(lists:seq(1, 3000)),
    N rem 3 =:= 0 andalso process_flag(message_queue_data, off_heap),
    From ! {self(), ready},
    receive '$never' -> ok end,
    Stack.

busy(N) -> busy(N + 1).

%% One that runs, one that is suspended, one that hibernates, one with many messages, one with constants.
special() ->
    Running = spawn(?MODULE, busy, [0]),
    register(running, Running),
    Suspended = spawn(?MODULE, wait, [self(), 1, [], held]),
    receive {Suspended, ready} -> ok end,
    erlang:suspend_process(Suspended),
    Hibernated = spawn(fun() -> put(a, ?CONSTANT), erlang:hibernate(?MODULE, wait, [self(), 1, [], held]) end),
    Many = spawn(?MODULE, wait, [self(), 1, [], ?CONSTANT]),
    receive {Many, ready} -> ok end,
    [Many ! {N, ?CONSTANT, N / 7} || N <- lists:seq(1, 1000)],
    link(Many), monitor(process, Many),
    Sensitive = spawn(fun() -> process_flag(sensitive, true), put(secret, yes), receive never -> ok end end),
    [{Suspended, [], held, []}, {Many, [], ?CONSTANT, [{N, ?CONSTANT, N / 7} || N <- lists:seq(1, 1000)]},
     {Running, [], none, []}, {Hibernated, [], none, []}, {Sensitive, [], none, []}].

tables() ->
    T = ets:new(a_set, [named_table, public]),
    ets:insert(T, [{N, N} || N <- lists:seq(1, 1000)]),
    ets:new(a_bag, [bag, {write_concurrency, true}]),
    ets:insert(ets:new(a_tree, [ordered_set, named_table]), [{N} || N <- lists:seq(1, 77)]),
    ets:insert(ets:new(another_tree, [ordered_set, {write_concurrency, true}, compressed]), {1, "x"}).

timers() ->
    [erlang:send_after(100000000, self(), {a_timer, N}) || N <- lists:seq(1, 10)],
    erlang:send_after(100000000, init, {to_a_name, "text", 1.5, #{k => [v | w]}}),
    11.

%% A node with a process whose funs share what they have.
funs() ->
    P = spawn(?MODULE, with_funs, [self()]),
    receive {P, ready} -> ok end,
    halt("a slogan").

with_funs(From) ->
    register(with_funs, self()),
    L = lists:seq(1, 20000),
    put(small, [a_fun(N, small) || N <- lists:seq(1, 500)]),
    put(large, [a_fun(N, L) || N <- lists:seq(1, 500)]),
    put(chain, lists:foldl(fun a_fun/2, last, lists:seq(1, 20000))),
    erlang:garbage_collect(),
    From ! {self(), ready},
    receive '$never' -> ok end.

%% Terms of all kinds, of so many levels.
term(0) -> leaf();
term(D) ->
    case rand:uniform(12) of
        1 -> [term(D - 1) || _ <- some(6)];
        2 -> list_to_tuple([term(D - 1) || _ <- some(6)]);
        3 -> maps:from_list([{term(1), term(D - 1)} || _ <- some(20)]);
        4 -> maps:from_list([{{I, leaf()}, leaf()} || I <- some(200)]);
        5 -> [term(D - 1) | term(D - 1)];
        6 -> a_fun(term(D - 1), leaf());
        7 -> T = term(D - 1), {T, T};
        _ -> leaf()
    end.

some(N) -> lists:seq(1, rand:uniform(N)).
a_fun(A, B) -> fun(C) -> {A, B, C} end.

leaf() ->
    case rand:uniform(24) of
        1 -> rand:uniform(1 bsl 40) - (1 bsl 39);
        2 -> (1 bsl 59) + rand:uniform(10);
        3 -> -(1 bsl (60 + rand:uniform(300))) - rand:uniform(100);
        4 -> 1 bsl 64;
        5 -> rand:uniform();
        6 -> -1.0e300 * rand:uniform();
        7 -> 1.0e-300;
        8 -> lists:nth(rand:uniform(6), [a, '', 'with space', 'ünï', list_to_atom([955, 8364]), 'it"s']);
        9 -> rand:bytes(rand:uniform(64));
        10 -> rand:bytes(100 + rand:uniform(1000));
        11 -> binary:part(rand:bytes(3000), rand:uniform(1000), rand:uniform(1500));
        12 -> <<_:3, B/bits>> = rand:bytes(rand:uniform(200)), B;
        13 -> <<_:3, B:40/bitstring, _/bits>> = rand:bytes(20 + rand:uniform(200)), B;
        14 -> <<1:3>>;
        15 -> <<>>;
        16 -> self();
        17 -> make_ref();
        18 -> hd(erlang:ports());
        19 -> [];
        20 -> {};
        21 -> #{};
        22 -> fun lists:map/2;
        23 -> ?CONSTANT;
        24 -> "a string"
    end.

%% What the reader makes of it: it has a form of its own for pids and ports.
expected(P) when is_pid(P) -> ['#CDVPid' | numbers(pid_to_list(P))];
expected(P) when is_port(P) -> ['#CDVPort' | numbers(port_to_list(P))];
expected([H | T]) -> [expected(H) | expected(T)];
expected(T) when is_tuple(T) -> list_to_tuple(expected(tuple_to_list(T)));
expected(M) when is_map(M) -> maps:from_list(expected(maps:to_list(M)));
expected(T) -> T.

numbers(Text) -> [list_to_integer(N) || N <- string:lexemes(Text, "#Port<>.")].
