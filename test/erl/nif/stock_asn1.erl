%% The stock asn1 application on the library that the distribution built for the stock runtime: modules that its
%% compiler makes of a specification encode and decode, in BER by the library, in PER too where it is aligned.
-module(stock_asn1).
-export([main/0]).
-include("../t.hrl").

specification() ->
    "Sample DEFINITIONS AUTOMATIC TAGS ::= BEGIN\n"
    "Colour ::= ENUMERATED { red, green, blue, ... }\n"
    "Item ::= SEQUENCE { name UTF8String, count INTEGER (0..1000), price REAL OPTIONAL, tags SET OF OCTET STRING,\n"
    "  colour Colour DEFAULT red, flags BIT STRING, choice Choice, ... }\n"
    "Choice ::= CHOICE { a INTEGER, b NULL, c BOOLEAN, d SEQUENCE OF INTEGER, e OBJECT IDENTIFIER, f Item }\n"
    "Items ::= SEQUENCE OF Item\n"
    "END\n".

main() ->
    Folder = filename:join(os:getenv("TMPDIR", "/tmp"), "stock_asn1_" ++ os:getpid()),
    ok = file:make_dir(Folder),
    try [rules(Folder, Rules) || Rules <- [ber, der, per, uper]]
    after file:del_dir_r(Folder)
    end.

rules(Folder, Rules) ->
    ok = file:write_file(filename:join(Folder, "Sample.asn1"), specification()),
    Options = case Rules of der -> [ber, der]; _ -> [Rules] end ++ [{outdir, Folder}, {i, Folder}, noobj],
    t({Rules, compile}, fun() -> asn1ct:compile(filename:join(Folder, "Sample.asn1"), Options) end),
    {ok, 'Sample', Code} = compile:file(filename:join(Folder, "Sample.erl"), [binary, {i, Folder}]),
    {module, 'Sample'} = code:load_binary('Sample', "", Code),
    t({Rules, values}, fun() -> [value(T, V) || {T, V} <- values()] end),
    t({Rules, wrong_values}, fun() -> [shorten('Sample':encode(T, V)) || {T, V} <- wrong_values()] end),
    t({Rules, large}, fun() -> value('Items', lists:duplicate(2000, item(7, {d, lists:seq(1, 50)}))) end),
    t({Rules, wrong_bytes}, fun() -> erlang:phash2([shorten('Sample':decode('Items', B)) || B <- wrong_bytes()]) end),
    t({Rules, at_once}, fun() ->
                            Pids = [spawn_monitor(fun() -> exit([value(T, V) || {T, V} <- values()]) end)
                                    || _ <- lists:seq(1, 10)],
                            length(lists:usort([receive {'DOWN', M, _, P, Result} -> Result end || {P, M} <- Pids]))
                        end),
    true = code:delete('Sample'),
    code:purge('Sample').

item(N, Choice) ->
    {'Item', unicode:characters_to_binary(["name ", 246, 1024 + N]), N, asn1_NOVALUE,
     [<<N:8>>, <<>>, binary:copy(<<"tag">>, N)], green, <<N:13>>, Choice}.

values() ->
    [{'Item', item(N, C)} || {N, C} <- [{0, {a, 0}}, {1, {a, -129}}, {200, {a, 1 bsl 100}}, {1000, {b, 'NULL'}},
                                        {5, {c, true}}, {6, {d, [1, -1, 127, 128, 65536]}},
                                        {8, {e, {1, 2, 840, 113549}}}, {9, {f, item(10, {f, item(11, {b, 'NULL'})})}}]] ++
    [{'Items', []}, {'Items', [item(1, {a, 1}), item(2, {c, false})]}, {'Colour', blue},
     {'Item', setelement(4, item(3, {a, 3}), "1.5")}].

wrong_values() ->
    [{'Item', item(1001, {a, 1})}, {'Item', item(1, {z, 1})}, {'Item', item(1, {a, x})}, {'Colour', brown}, {'Items', x},
     {'Nothing', 1}].

%% The bytes, and what comes of them.
value(Type, Value) ->
    case 'Sample':encode(Type, Value) of
        {ok, Bytes} ->
            {ok, Back} = 'Sample':decode(Type, Bytes),
            {byte_size(Bytes), erlang:phash2(Bytes), Back =:= Value, erlang:phash2(Back)};
        Error ->
            shorten(Error)
    end.

%% Cut, changed, lengthened.
wrong_bytes() ->
    {ok, Good} = 'Sample':encode('Items', [item(3, {a, 1}), item(4, {f, item(5, {d, [1, 2, 3]})})]),
    [binary:part(Good, 0, N) || N <- lists:seq(0, byte_size(Good) - 1)] ++
    [begin <<A:N/binary, B, C/binary>> = Good, <<A/binary, (B bxor X), C/binary>> end
     || N <- lists:seq(0, byte_size(Good) - 1), X <- [1, 16#80, 16#ff]] ++
    [<<Good/binary, 0>>, <<16#30, 16#80, Good/binary>>, <<16#30, 16#84, 16#ff, 16#ff, 16#ff, 16#ff>>, <<255, 255, 255>>].

%% Without the stack, whose frames are the compiler's.
shorten({error, {asn1, {Reason, Stack}}}) when is_list(Stack) -> {error, Reason};
shorten({ok, Bytes}) when is_binary(Bytes) -> {ok, byte_size(Bytes), erlang:phash2(Bytes)};
shorten(Other) -> Other.
