%% Bitstrings that are built of integers of all sizes at all places, of both ends, of floats, constants and texts; of values
%% that are large, and of wrong ones; beside other terms, while the heap grows.
-module(r_bit_building).
-export([main/0]).

main() ->
    single(),
    [several(Seed) || Seed <- lists:seq(1, 150)],
    floats(),
    io:format("~w~n", [erlang:phash2(grow(20000, []))]),
    io:format("~w~n", [erlang:phash2([kept(N, N * 7.5) || N <- lists:seq(-500, 500, 7)])]),
    io:format("~p~n", [[catch_of(fun() -> failing(A, B) end) || A <- [1, a, 1.5, <<1>>, 1 bsl 70], B <- [2, b, 2.5, []]]]),
    io:format("~p~n", [[guarded(A) || A <- [1, 258, a, 1.5, 1 bsl 70, -1]]]).

values() ->
    [0, 1, -1, 2, 5, 127, 128, 255, 256, -128, 16#1234567, 16#123456789abcdef, -16#123456789abcdef, (1 bsl 59) - 1, 1 bsl 59,
     -(1 bsl 59), -(1 bsl 59) - 1, (1 bsl 60) - 1, 1 bsl 63, (1 bsl 64) - 1, 1 bsl 64, 16#123456789abcdef0123456789, -(1 bsl 64),
     a, 1.5, [], <<1>>].

single() ->
    Kinds = [{Size, End} || Size <- lists:seq(1, 66), End <- [big, little]],
    Module = load([["f_", integer_to_list(N), "(X, Y) -> {<<X:", integer_to_list(Size), "/", atom_to_list(End), ">>, <<1:3, X:",
                    integer_to_list(Size), "/", atom_to_list(End), ", Y:9>>, <<Y:27, X:", integer_to_list(Size), "/",
                    atom_to_list(End), ", Y:", integer_to_list(Size), ">>, <<Y:6, \"text\", X:", integer_to_list(Size), "/",
                    atom_to_list(End), ", 16#fedcba9876543210:", integer_to_list(Size), "/", atom_to_list(End), ">>}."]
                   || {N, {Size, End}} <- lists:enumerate(Kinds)]),
    [io:format("~w ~w ~w~n",
               [Size, End, erlang:phash2([catch_of(fun() -> Module:(name(N))(V, W) end) || V <- values(), W <- [77, -3, b]])])
     || {N, {Size, End}} <- lists:enumerate(Kinds)].

name(N) -> list_to_atom("f_" ++ integer_to_list(N)).

several(Seed) ->
    rand:seed(exsss, {Seed, 5, 5}),
    Segments = [segment() || _ <- lists:seq(1, rand:uniform(17))],
    Module = load([["f(A, B, C, F) -> <<", lists:join(", ", Segments), ">>.\n",
                    "g(A, B, C, F, L) -> X = <<", lists:join(", ", Segments), ">>, {L, [X, A | L], F, B, C}."]]),
    Answers = [catch_of(fun() -> {Module:f(A, B, C, F), Module:g(A, B, C, F, [A, B])} end)
               || A <- [0, -1, 12345678901, 1 bsl 61], B <- [7, 16#fffffffffff, -200, x], C <- [99, -(1 bsl 59)],
                  F <- [1.5, -0.0, 1.0e300, 3, 5.0e-324]],
    io:format("~w: ~w ~w~n", [Seed, erlang:phash2(Answers), hd(Answers)]).

segment() ->
    Size = case rand:uniform(4) of 1 -> 8 * rand:uniform(8); 2 -> rand:uniform(64); _ -> rand:uniform(20) end,
    case rand:uniform(9) of
        1 -> io_lib:format("~w:~w", [rand:uniform(1 bsl 62), Size]);
        2 -> io_lib:format("~w:~w/little", [-rand:uniform(1 bsl 40), Size]);
        3 -> lists:nth(rand:uniform(3), ["\"ab\"", "\"a longer text\"", "\"\""]);
        4 -> lists:nth(rand:uniform(5), ["F/float", "F/float-little", "1.25/float", "-7.5:32/float", "F:32/float"]);
        _ -> io_lib:format("~s:~w/~s", [lists:nth(rand:uniform(3), ["A", "B", "C"]), Size,
                                        lists:nth(rand:uniform(3), ["big", "little", "native"])])
    end.

floats() ->
    io:format("~p~n", [[catch_of(fun() -> <<F/float, N:4, F/float-little, F:32/float, 2.5/float, -0.0/little-float>> end)
                        || F <- [0.0, -0.0, 1.0, -2.5, 1.0e300, 5.0e-324, 1.0e-300, 7, 1 bsl 70, 1 bsl 2000, a], N <- [3, z]]]).

grow(0, Made) -> Made;
grow(N, Made) -> grow(N - 1, [{<<N:16, (N * N):40/little, 5:3, N:21>>, <<N:64, "grown">>, [N]} | Made]).

kept(N, F) ->
    A = get(none),
    B = <<N:7, F/float, N:56/little, N:3>>,
    C = get(B),
    {A, B, C, <<N:32, F/float, B/bits>>}.

failing(A, B) -> <<A:8, B:7, "x", A:16/little>>.

guarded(A) when <<A:16>> =:= <<1:16>> -> one;
guarded(A) when <<A:16, 5>> =:= <<1, 2, 5>> -> two;
guarded(_) -> other.

catch_of(F) ->
    try F() of V -> V
    catch Class:Reason:Stack -> {Class, Reason, [proplists:get_value(error_info, Info) || {_, _, _, Info} <- [hd(Stack)]]}
    end.

%% --- modules made of text ---

load(Functions) ->
    Text = lists:flatten(["-module(r_bit_building_made).\n-compile([export_all, nowarn_export_all]).\n",
                          lists:join("\n", Functions), "\n"]),
    {ok, Module, Binary} = compile:forms(forms(Text), []),
    code:purge(Module),
    {module, Module} = code:load_binary(Module, "made", Binary),
    Module.

forms(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    forms(Tokens, [], []).

forms([{dot, _} = Dot | Tokens], Form, Forms) ->
    {ok, Parsed} = erl_parse:parse_form(lists:reverse([Dot | Form])),
    forms(Tokens, [], [Parsed | Forms]);
forms([Token | Tokens], Form, Forms) -> forms(Tokens, [Token | Form], Forms);
forms([], [], Forms) -> lists:reverse(Forms).
