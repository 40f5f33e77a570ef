%% Which texts are those of pids, ports and references: numbers may begin with zeros.
-module(r_identifier_texts).
-export([main/0]).

main() ->
    [io:format("~p ~p: ~p~n", [Kind, lists:flatten(Text), parsed(Parse, lists:flatten(Text))])
     || {Kind, Parse, Open} <- kinds(), Numbers <- numbers(), End <- ["", ">", ">>"],
        Text <- [Open ++ lists:join($., Numbers) ++ End]].

kinds() ->
    [{pid, fun list_to_pid/1, "<"}, {port, fun list_to_port/1, "#Port<"}, {reference, fun list_to_ref/1, "#Ref<"}].

numbers() ->
    Zeros = lists:duplicate(15, $0),
    [["0", "1"], ["0", "1", "2"], ["0", "1", "2", "0"], ["0", "1", "2", "3"], ["0", "1", "2", "3", "4", "5"], ["0"], [],
     [""], ["0", ""], ["0", "", "0"], ["0", "1", ""], ["00", "01"], ["00", "01", "02"], ["00", "01", "02", "03"],
     ["0", Zeros], [Zeros, "1", "2"], ["0", Zeros ++ "1", Zeros ++ "2"], ["0", Zeros ++ "1", "0000" ++ "2", Zeros ++ "3"],
     ["0", "999999999999999999"], ["0", "999999999999999999", "0"], ["0", "9999999999999999999", "0"],
     ["0", "+1", "0"], ["0", "-1", "0"], ["0", "1 ", "0"], ["0", "a", "0"], ["0", [956], "0"], ["0", [-1], "0"]].

parsed(Parse, Text) ->
    try Parse(Text)
    catch Class:Reason -> {Class, Reason}
    end.
