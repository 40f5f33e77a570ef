%% Bitstrings that cannot be built for more than one reason: which segment is named, and why.
-module(r_segment_order).
-export([main/0]).

segments() ->
    ["(i(foo)):8", "(i(1)):(i(a))", "(i(1)):(i(-1))", "(i(<<5:3>>))/binary", "(i(<<1>>)):2/binary", "(i(bar)):2/binary",
     "(i(bar))/binary", "(i(<<1>>)):(i(b))/binary", "(i(<<1:17>>))/bits", "(i(x)):3/bits", "(i(2.5)):(i(13))/float",
     "(i(y)):64/float", "(i(-1))/utf8", "(i(u))/utf8", "(i(16#d800))/utf8", "(i(z))/utf16", "(i(-1))/utf32", "(i(1)):(i(1 bsl 70))", "(i(<<1,2>>))/binary", "17:8", "\"text\""].

main() ->
    Pairs = [[A, B] || A <- segments(), B <- segments()],
    Triples = [[A, B, C] || A <- segments(), B <- segments(), C <- segments(), erlang:phash2({A, B, C}, 13) =:= 0],
    Expressions = [lists:flatten(["<<", lists:join(", ", Segments), ">>"]) || Segments <- Pairs ++ Triples],
    Numbered = lists:zip(lists:seq(1, length(Expressions)), Expressions),
    Text = ["-module(made).", "-compile(export_all).", "i(X) -> X."
            | [lists:flatten(io_lib:format("f~b() -> ~ts.", [N, Expression])) || {N, Expression} <- Numbered]],
    {ok, made, Beam} = compile:forms([form(Line) || Line <- Text], [nowarn_export_all]),
    {module, made} = code:load_binary(made, "made", Beam),
    [io:format("~ts: ~p~n", [Expression, result(list_to_atom("f" ++ integer_to_list(N)))])
     || {N, Expression} <- Numbered].

form(Line) ->
    {ok, Tokens, _} = erl_scan:string(Line),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

result(F) ->
    try made:F()
    catch Class:Reason:Stack ->
        {_, _, _, Location} = hd(Stack),
        {Class, Reason, maps:get(cause, proplists:get_value(error_info, Location, #{}), none)}
    end.
