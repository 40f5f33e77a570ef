%% External forms and their sizes: random terms, terms nested deep in each way, and long ones that
%% take more than a time slice.
-module(r_external_sizes).
-export([main/0]).

main() ->
    rand:seed(exsss, {7, 8, 9}),
    put(port, open_port({spawn, "cat"}, [])),
    [line(Name, [sizes(term(Levels)) || _ <- seq(Count)])
     || {Name, Levels, Count} <- [{flat, 0, 500}, {low, 2, 400}, {high, 5, 60}]],
    [io:format("~p: ~w~n", [Name, sizes(T)]) || {Name, T} <- edges()],
    [io:format("~p: ~w ~w~n", [Name, sizes(nest(Wrap, 1000, a)), size_of(nest(Wrap, 300000, 1))])
     || {Name, Wrap} <- wraps()],
    [io:format("~p: ~w~n", [Name, beside(fun() -> size_of(T) end)]) || {Name, T} <- long()].

line(Name, Sizes) ->
    io:format("~p: ~w ~w ~w~n", [Name, length(Sizes), lists:sum([hd(S) || S <- Sizes]), erlang:phash2(Sizes)]).

seq(N) -> lists:seq(1, N).

size_of(T) -> erlang:external_size(T).

%% That of a fun is not what it takes.
sizes(T) ->
    Size = size_of(T),
    has_fun(T) orelse (Size = byte_size(term_to_binary(T))),
    has_fun(T) orelse (Size = iolist_size(term_to_iovec(T))),
    [Size, sum(T) | [erlang:external_size(T, [{minor_version, Minor}]) || Minor <- [0, 1]]].

%% Of what stands for the same everywhere.
sum(T) ->
    Forms = [term_to_binary(T), term_to_binary(T, [{minor_version, 2}]), term_to_binary(T, [{minor_version, 0}])],
    case binary_to_term(hd(Forms)) =:= T of
        true -> has_name(T) orelse erlang:crc32(Forms)
    end.

has_name(X) when is_function(X); is_pid(X); is_port(X); is_reference(X) -> true;
has_name([H | T]) -> has_name(H) orelse has_name(T);
has_name(T) when is_tuple(T) -> has_name(tuple_to_list(T));
has_name(M) when is_map(M) -> has_name(maps:to_list(M));
has_name(_) -> false.

has_fun(F) when is_function(F) -> true;
has_fun([H | T]) -> has_fun(H) orelse has_fun(T);
has_fun(T) when is_tuple(T) -> has_fun(tuple_to_list(T));
has_fun(M) when is_map(M) -> has_fun(maps:to_list(M));
has_fun(_) -> false.

term(0) ->
    case rand:uniform(16) of
        1 -> rand:uniform(512) - 256;
        2 -> (rand:uniform(4) - 2) * (1 bsl rand:uniform(70)) + rand:uniform(3) - 2;
        3 -> rand:normal() * math:pow(10, rand:uniform(200) - 100);
        4 -> lists:nth(rand:uniform(6), [a, '', hello, 'größe', 'größeres Wort', '\x{3b1}\x{3b2}']);
        5 -> binary:copy(<<"x">>, rand:uniform(100) - 1);
        6 -> <<(rand:uniform(1 bsl 62)):(rand:uniform(70))>>;
        7 -> [rand:uniform(256) - 1 || _ <- seq(rand:uniform(30) - 1)];
        8 -> [rand:uniform(258) - 1 || _ <- seq(rand:uniform(300) - 1)];
        9 -> (1 bsl rand:uniform(5000)) - rand:uniform(2);
        10 -> self();
        11 -> get(port);
        12 -> lists:nth(rand:uniform(2), [make_ref(), atomics:new(1, [])]);
        13 -> lists:nth(rand:uniform(3), [fun lists:map/2, fun seq/1, {}]);
        14 -> binary:part(binary:copy(<<"yz">>, 200), rand:uniform(100), rand:uniform(200));
        15 -> [];
        16 -> element(rand:uniform(3), {#{}, #{a => 1}, {a, b}})
    end;
term(Levels) ->
    case rand:uniform(8) of
        1 -> list_to_tuple(terms(Levels - 1));
        2 -> terms(Levels - 1);
        3 -> terms(Levels - 1) ++ term(0);
        4 -> maps:from_list([{K, term(Levels - 1)} || K <- terms(0)]);
        5 -> maps:from_list([{term(Levels - 1), K} || K <- terms(0)]);
        6 -> maps:from_list([{{K, term(0)}, term(max(0, Levels - 3))} || K <- seq(rand:uniform(70))]);
        7 -> Inner = term(Levels - 1), fun() -> Inner end;
        8 -> [term(Levels - 1) | term(Levels - 1)]
    end.

terms(Levels) -> [term(Levels) || _ <- seq(rand:uniform(12) - 1)].

edges() ->
    Bits = [7, 8, 15, 16, 30, 31, 32, 39, 40, 58, 59, 60, 63, 64, 2031, 2032, 2033, 2039, 2040, 2041],
    [{N, (1 bsl N) + D} || N <- Bits, D <- [-1, 0, 1]] ++ [{-N, -(1 bsl N) + D} || N <- Bits, D <- [-1, 0, 1]] ++
    [{N, list_to_tuple(seq(N))} || N <- [0, 1, 255, 256]] ++
    [{N, lists:duplicate(N, $a)} || N <- [1, 65534, 65535, 65536]] ++
    [{N, lists:duplicate(N, $a) ++ Tail} || N <- [1, 254, 65535], Tail <- [[256], [-1], [1.0], b, 1, [[]], [{}]]] ++
    [{N, <<0:N>>} || N <- [0, 1, 7, 8, 9, 511, 512, 513, 520]].

wraps() ->
    [{head, fun(T) -> [T] end}, {head_of_two, fun(T) -> [T, 1] end}, {tail, fun(T) -> [a | T] end},
     {tail_of_tuple, fun(T) -> [{a, [1]} | T] end}, {string_before, fun(T) -> ["ab" | T] end},
     {first, fun(T) -> {T, 1} end}, {last, fun(T) -> {1, T} end}, {middle, fun(T) -> {"ab", {T, []}, x} end},
     {value, fun(T) -> #{a => T} end}, {first_value, fun(T) -> #{a => T, b => "cd", {c} => 1} end},
     {in_fun, fun(T) -> fun() -> {T} end end}, {key, fun(T) when not is_map(T) -> #{T => b}; (M) -> {M} end}].

nest(_, 0, T) -> T;
nest(Wrap, N, T) -> nest(Wrap, N - 1, Wrap(T)).

long() ->
    [{numbers, seq(200000)}, {strings, [integer_to_list(N) || N <- seq(100000)]},
     {tuples, [{N, <<"abc">>, [N]} || N <- seq(50000)]},
     {map, maps:from_list([{{N}, [N]} || N <- seq(50000)])},
     {maps, [#{a => N, b => #{c => [N, x]}} || N <- seq(30000)]},
     {elements, list_to_tuple([{N, "ab"} || N <- seq(100000)])}, {bytes, binary:copy(<<"a">>, 1 bsl 24)},
     {floats, [N * 1.5 || N <- seq(100000)]}, {not_strings, lists:duplicate(30, lists:duplicate(5000, $a) ++ [x])}].

%% Collections come between, and another process is heard.
beside(Fun) ->
    Me = self(),
    Pid = spawn_link(fun() -> Me ! {self(), Fun()} end),
    erlang:garbage_collect(Pid),
    receive {Pid, Value} -> Value end.
