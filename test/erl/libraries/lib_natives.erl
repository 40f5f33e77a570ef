%% Native libraries that Debian built for the stock runtime: they are used as they are.
-module(lib_natives).
-export([main/0]).
-include("l.hrl").

main() ->
    t(jiffy, fun() ->
        Json = jiffy:encode({[{<<"a">>, [1, 2.5, true, null, <<"x\"y">>]}, {b, {[]}}]}),
        {Json, jiffy:decode(Json), jiffy:decode(Json, [return_maps])}
    end),
    t(jiffy_bad, fun() -> jiffy:decode(<<"{\"a\":">>) end),
    t(jiffy_much, fun() ->
        Rows = [{[{<<"id">>, N}, {<<"name">>, integer_to_binary(N * N * N)}, {<<"f">>, N / 7}]}
                || N <- lists:seq(1, 30000)],
        Json = iolist_to_binary(jiffy:encode(Rows)),
        {byte_size(Json), erlang:phash2(Json), jiffy:decode(Json) =:= Rows}
    end),
    t(xml, fun() -> fxml_stream:parse_element(<<"<a x='1'><b>text</b><c/>&lt;</a>">>) end),
    t(xml_bad, fun() -> fxml_stream:parse_element(<<"<a x='1'><b>text</a>">>) end),
    t(xml_much, fun() ->
        Items = [["<i n='", integer_to_list(N), "'>t", integer_to_list(N), "</i>"] || N <- lists:seq(1, 20000)],
        Element = fxml_stream:parse_element(iolist_to_binary(["<r>", Items, "</r>"])),
        {erlang:phash2(Element), erlang:phash2(fxml:element_to_binary(Element))}
    end),
    t(yaml, fun() -> fast_yaml:load_nif(), fast_yaml:decode(<<"a: 1\nb:\n  - x\n  - y: 2.5\n">>) end),
    t(yaml_bad, fun() -> fast_yaml:decode(<<"a: [1\n">>) end),
    t(stringprep, fun() ->
        {stringprep:nodeprep(<<"ÄB"/utf8>>), stringprep:resourceprep(<<"x y">>), stringprep:nameprep(<<"ExAmple.ORG">>)}
    end),
    t(at_once, fun() ->
        Encode = fun(N) -> exit(erlang:phash2(jiffy:encode([{[{<<"n">>, I}]} || I <- lists:seq(1, N)]))) end,
        Refs = [element(2, spawn_monitor(fun() -> Encode(N) end)) || N <- lists:seq(1000, 1040)],
        [receive {'DOWN', Ref, process, _, Hash} -> Hash end || Ref <- Refs]
    end).
