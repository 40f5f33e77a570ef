%% Fields of bitstrings, of all sizes up to 66 bits, at all places in a byte, signed or not, of both ends: from heap
%% binaries, windows, large binaries, at their last bit; where one more bit is wanted; several together with values and
%% gaps among them, and with what may be behind them; all along the pages of a large one.
-module(r_bit_fields).
-export([main/0]).

main() ->
    single(),
    [several(Seed) || Seed <- lists:seq(1, 120)],
    along(),
    overwritten(),
    io:format("~p~n", [[kept(B) || B <- [<<0, 2, 3, 200, 5>>, <<8, 2, 3, 4, 15>>, <<1, 2, 3, 4>>, <<0, 2, 9, 4, 5>>, <<0, 2, 3, 4>>, <<>>]]]).

%% --- one field ---

single() ->
    Kinds = [{Size, Sign, End} || Size <- lists:seq(1, 66), Sign <- [signed, unsigned], End <- [big, little]],
    Module = load([take(N, Kind) || {N, Kind} <- lists:enumerate(Kinds)]),
    [begin
         Values = [got(Module, N, B, Offset) || Offset <- lists:seq(0, 7), B <- bitstrings(Offset + Size)],
         io:format("~w ~w ~w ~w~n", [Size, Sign, End, erlang:phash2(Values)])
     end || {N, {Size, Sign, End}} <- lists:enumerate(Kinds)].

%% f_N(<<_:O, X:Size/Sign-End, Rest/bits>>, O) -> {X, Rest}; f_N(_, _) -> none.
take(N, {Size, Sign, End}) ->
    "f_" ++ integer_to_list(N) ++ "(B, O) -> case B of <<_:O, X:" ++ integer_to_list(Size) ++ "/" ++ atom_to_list(Sign) ++
        "-" ++ atom_to_list(End) ++ ", Rest/bits>> -> {X, Rest}; _ -> none end.".

got(Module, N, B, Offset) -> Module:(list_to_atom("f_" ++ integer_to_list(N)))(B, Offset).

%% Of so many bits, one less, some more; of all forms.
bitstrings(Bits) ->
    [Form(bits(Bits + More, Seed)) || More <- [0, -1, 1, 7, 64], Bits + More >= 0, Seed <- [0, 1, 2],
                                      Form <- [fun whole/1, fun window/1, fun large/1, fun behind/1]].

bits(Bits, 0) -> <<(-1):Bits>>;
bits(Bits, Seed) ->
    <<B:Bits/bits, _/bits>> = << <<((N * 73 + Seed * 41) band 255)>> || N <- lists:seq(1, Bits div 8 + 1) >>,
    B.

whole(B) -> B.
window(B) -> S = bit_size(B), <<_:3, W:S/bits, _/bits>> = <<5:3, B/bits, 9:7>>, W.
large(B) -> S = bit_size(B), <<_:8, W:S/bits, _/bits>> = <<0, B/bits, 0:1600>>, W.
behind(B) -> S = bit_size(B), Front = <<(-1):1603>>, F = bit_size(Front), <<_:F, W:S/bits>> = <<Front/bits, B/bits>>, W.

%% --- several ---

several(Seed) ->
    rand:seed(exsss, {Seed, 7, 7}),
    Fields = [field() || _ <- lists:seq(1, 1 + rand:uniform(9))],
    Values = [value(F) || F <- Fields],
    Behind = lists:nth(1 + Seed rem 4, ["", ", Rest/binary", ", Rest/bits", ", Rest:3/binary"]),
    Names = [N || {N, {take, _, _, _}} <- lists:enumerate(Fields)],
    Pattern = lists:join(", ", [pattern(N, F, V) || {N, F, V} <- lists:zip3(lists:seq(1, length(Fields)), Fields, Values)]),
    Rest = if Behind =:= "" -> "none"; true -> "Rest" end,
    Result = "{" ++ lists:join(", ", ["X" ++ integer_to_list(N) || N <- Names] ++ [Rest]) ++ "}",
    Module = load([["f(B, O) -> case B of <<_:O, ", Pattern, Behind, ">> -> ", Result, "; <<_:O, First, _/bits>> -> First; ",
                    "_ -> none end."]]),
    Right = << <<V:(element(2, F))/bits>> || {F, V} <- lists:zip(Fields, Values) >>,
    Size = bit_size(Right),
    Asked = [<<0:O, B/bits>> || O <- [0, 1, 5, 8], End <- [0, 3, 24, 32], B <- [<<Right/bits, 1:End>>]] ++
        [<<0:O, (flip(Right, N))/bits, 77:E>> || N <- lists:seq(0, Size - 1, 5), {O, E} <- [{0, 24}, {3, 24}, {0, 0}]] ++
        [B || L <- lists:seq(0, Size, 3), <<B:L/bits, _/bits>> <- [Right]],
    Answers = [Module:f(F(B), O) || B <- Asked, O <- [0, 1, 3, 8], F <- [fun whole/1, fun window/1, fun large/1, fun behind/1]],
    io:format("~w: ~w bits, ~w, ~w matched of ~w~n",
              [Seed, Size, erlang:phash2(Answers), length([A || A <- Answers, is_tuple(A)]), length(Answers)]).

field() ->
    Size = case rand:uniform(5) of 1 -> 8; 2 -> 8 * rand:uniform(7); 3 -> rand:uniform(64); _ -> rand:uniform(14) end,
    case rand:uniform(4) of
        1 -> {value, Size};
        2 -> {skip, Size};
        _ -> {take, Size, lists:nth(rand:uniform(2), ["signed", "unsigned"]), lists:nth(rand:uniform(3), ["big", "little", "native"])}
    end.

value(F) -> Size = element(2, F), V = rand:uniform(1 bsl Size) - 1, <<V:Size>>.

pattern(N, {take, Size, Sign, End}, _) -> io_lib:format("X~w:~w/~s-~s", [N, Size, Sign, End]);
pattern(_, {skip, Size}, _) -> io_lib:format("_:~w", [Size]);
pattern(_, {value, Size}, Bits) -> <<V:Size>> = Bits, io_lib:format("~w:~w", [V, Size]).

flip(B, N) -> <<A:N/bits, X:1, C/bits>> = B, <<A/bits, (1 - X):1, C/bits>>.

%% --- places ---

along() ->
    Large = << <<(N * 31 band 255)>> || N <- lists:seq(1, 20000) >>,
    io:format("~w ~w~n", [walk(Large, 0), walk(<<1:3, Large/bits>>, 0)]).

walk(<<A:13, B:11/signed, C:16/little, Rest/bits>>, Sum) -> walk(Rest, (Sum * 3 + A + B * 5 + C * 7) band 16#ffffffff);
walk(Rest, Sum) -> {Rest, Sum}.

%% A field may come to where the context was.
overwritten() ->
    Module = load(["f(B) -> g(B, 0).", "g(<<A:12>>, S) -> A + S; g(<<A:12, R/bits>>, S) -> g(R, S + A); g(R, S) -> {R, S}."]),
    io:format("~p~n", [[Module:f(<<N:B>>) || {N, B} <- [{1234567, 24}, {77, 12}, {8191, 13}, {0, 0}, {1 bsl 70, 73}]]]).

%% Variables that outlive a call.
kept(B) ->
    X = get(none),
    case B of
        <<A:5, 2:11, 3, C/signed, D:7, _:1>> -> {X, A, C, D, get(A), get(C)};
        <<A:16, C:16/little>> -> {X, get(A), A, C};
        _ -> none
    end.

%% --- modules made of text ---

load(Functions) ->
    Text = lists:flatten(["-module(r_bit_fields_made).\n-compile([export_all, nowarn_export_all]).\n",
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
