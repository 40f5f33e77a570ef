%% Floats of sizes that floats do not have, built and matched; and what older compilers' code says of several wrong
%% segments.
-module(r_bit_sizes).
-export([main/0]).

main() ->
    [io:format("~0p~n", [{F, N, tell(fun() -> <<1, F:N/float>> end), tell(fun() -> <<F:N/float-unit:8>> end),
                          tell(fun() -> <<F:N/float-unit:2, a:8>> end)}])
     || F <- [1.5, 3, a, 1 bsl 2000, 1.0e300], N <- [0, 1, 2, 4, 8, 16, 32, 64, 128, -1, a, 1 bsl 64]],
    [io:format("~0p~n", [{Bits, N, float_of(Bits, N), float_between(Bits, N)}])
     || Bits <- [<<>>, <<1:3>>, <<0:64>>, <<1.5/float, "rest">>], N <- [0, 1, 2, 4, 8, a, -1]],
    [begin
         Module = load(Options),
         [io:format("~0p~n", [{A, N, tell(fun() -> Module:f(A, N) end), tell(fun() -> Module:g(A, N) end),
                               tell(fun() -> Module:h(A, N) end)}])
          || A <- [$a, 16#10ffff, 16#d800, a, -1, <<"xyz">>], N <- [1, 3, a, 16#e4, 1 bsl 64, -1]]
     end || Options <- [[], [r24]]].

float_of(Bits, N) ->
    case Bits of
        <<X:N/float-unit:8, Rest/bits>> -> {X, Rest};
        _ -> none
    end.
float_between(Bits, N) ->
    case Bits of
        <<A:1, X:N/float-little, B:2, Rest/bits>> -> {A, X, B, Rest};
        _ -> none
    end.

load(Options) ->
    Text = ["-module(r_bit_sizes_made).", "-export([f/2, g/2, h/2]).", "f(A, N) -> <<A/utf8, N:N/integer-unit:16, A/utf16>>.",
            "g(A, N) -> <<A/utf16, A/bits, 7:N>>.", "h(A, N) -> <<A:N/binary, N/utf8, A/utf32>>."],
    Forms = [begin {ok, Tokens, _} = erl_scan:string(T), {ok, Form} = erl_parse:parse_form(Tokens), Form end || T <- Text],
    {ok, Module, Code} = compile:forms(Forms, Options),
    code:purge(Module),
    {module, Module} = code:load_binary(Module, "made", Code),
    Module.

tell(Fun) ->
    try Fun()
    catch Class:Reason:Stack ->
        {M, F, A, Info} = hd(Stack),
        Arity = if is_list(A) -> length(A); true -> A end,
        {Class, Reason, M, F, Arity, proplists:get_value(error_info, Info)}
    end.
