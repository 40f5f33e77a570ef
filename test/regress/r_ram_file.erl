%% Files in memory (file(3), mode `ram`): what is answered to each request, in order, and a long random story told the
%% same by both runtimes. The driver was missing.
-module(r_ram_file).
-export([main/0]).

main() ->
    [commands(Options, Modes) || Options <- [[], [binary]], Modes <- [0, 1, 2, 3]],
    [story(Seed, Modes) || Seed <- [1, 2, 3, 5], Modes <- [[read, write, binary], [read, write], [read], [write, binary]]],
    through_file(),
    ok.

%% --- the driver's own commands ---

commands(Options, Modes) ->
    Port = open_port({spawn, "ram_file_drv"}, Options),
    [io:format("~w ~w: ~w -> ~w~n", [Options, Modes, C, ask(Port, C)]) || C <- early() ++ [open(Modes, "hello world")] ++ all()],
    [io:format("~w~n", [catch F(Port)])
     || F <- [fun(P) -> element(1, element(2, catch port_control(P, 1, []))) end,
              fun(P) -> erlang:port_info(P, input) end, fun(P) -> erlang:port_info(P, output) end]],
    port_close(Port).

ask(Port, Command) ->
    port_command(Port, Command),
    receive {Port, {data, Data}} -> Data end.

open(Modes, Data) -> [1, <<Modes:32>>, Data].
seek(Offset, Whence) -> [3, <<Offset:32, Whence:32>>].
early() -> [[2, <<5:32>>], [4, "abc"], [37], [30], [9], seek(0, 0), [17, <<0:64>>], [14]].

all() ->
    [[2, <<N:32>>] || N <- [3, 0, 100, 100, -1]] ++
    [seek(Offset, Whence) || {Offset, Whence} <- [{0, 0}, {2, 0}, {-1, 0}, {1, 1}, {-10, 1}, {0, 1}, {0, 2}, {-2, 2}, {3, 2},
                                                  {1000000, 0}, {0, 3}, {0, -1}, {16#7fffffff, 0}]] ++
    [seek(19, 0), [4, "xyz"], [30], [2, <<3:32>>], seek(0, 1)] ++
    [[17, <<At:32, N:32>>] || {At, N} <- [{0, 4}, {-1, 4}, {0, -4}, {100, 4}, {100, 0}, {20, 4}]] ++
    [[18, <<At:32>>, Data] || {At, Data} <- [{1, "QQ"}, {-1, "QQ"}, {1, ""}, {50, ""}, {40, "end"}]] ++
    [[30], [30, 1], [37], seek(0, 1), [14], [37], seek(2, 0), [14], [30], seek(5, 0), [14], [30], [9], [19]] ++
    [[38, <<0:64, 10:64, Advice:32>>] || Advice <- lists:seq(-1, 6)] ++
    [[39, <<At:64, N:64>>] || {At, N} <- [{0, 10}, {20, 10}, {-1, 10}, {0, -10}, {1 bsl 40, 5}]] ++
    [[37], open(3, "another"), [37], seek(0, 1), [30], open(3, []), [30], [37], open(2, "x"), [4, "yz"], [30], [2, <<1:32>>]].

%% --- random requests ---

story(Seed, Modes) ->
    rand:seed(exsss, Seed),
    {ok, File} = file:open(binary:copy(<<"0123456789">>, 100), [ram | Modes]),
    Hash = lists:foldl(fun(_, Before) -> erlang:phash2({Before, request(File)}) end, 0, lists:seq(1, 2000)),
    io:format("~w ~w: ~w ~w ~w~n", [Seed, Modes, Hash, ram_file:get_size(File), file:position(File, cur)]),
    ok = file:close(File).

request(File) ->
    At = rand:uniform(3000) - 100,
    Count = rand:uniform(200) - 1,
    case rand:uniform(12) of
        1 -> file:read(File, Count);
        2 -> file:write(File, some(Count));
        3 -> file:position(File, {lists:nth(rand:uniform(3), [bof, cur, eof]), At - 1400});
        4 -> file:pread(File, At, Count);
        5 -> file:pwrite(File, At, some(Count));
        6 -> file:pread(File, [{A, Count} || A <- [0, At, 5000]]);
        7 -> file:pwrite(File, [{A, some(Count)} || A <- [0, At]]);
        8 when At > 1500 -> {file:position(File, At), file:truncate(File)};
        8 -> ram_file:get_size(File);
        9 -> ram_file:get_file(File);
        10 -> file:sync(File);
        11 -> file:advise(File, At, Count, lists:nth(rand:uniform(4), [normal, random, will_need, wrong]));
        12 -> file:allocate(File, At, Count)
    end.

some(Count) -> list_to_binary([N * Count rem 251 || N <- lists:seq(1, Count)]).

%% --- as others use it ---

through_file() ->
    {ok, From} = file:open(binary:copy(<<"line\n">>, 50000), [ram, binary, read]),
    {ok, To} = file:open([], [ram, binary, read, write]),
    io:format("~w~n", [file:copy(From, To)]),
    {ok, All} = ram_file:get_file(To),
    io:format("~w ~w~n", [byte_size(All), erlang:phash2(All)]),
    io:format("~w~n", [[file:read(To, 10), file:read(To, 0), file:position(To, 249990), file:read(To, 100), file:read(To, 100)]]),
    io:format("~w~n", [[file:open(X, [ram, binary]) || X <- [not_data, {1}, [a], [1 | 2], [300]]]]),
    io:format("~w~n", [[file:pwrite(To, -1, "x"), file:pwrite(To, 1 bsl 40, "x"), file:position(To, 1 bsl 40),
                        file:read(To, 1 bsl 40), file:write(To, [a]), file:pread(To, a, 1)]]),
    [ok = file:close(F) || F <- [From, To]],
    io:format("~w~n", [[file:read(To, 1), file:write(To, "x"), file:close(To)]]).
