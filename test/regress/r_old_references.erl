%% References in the older external forms have 18 bits in their first number.
-module(r_old_references).
-export([main/0]).

main() ->
    [io:format("~p ~p~n", [Tag, [result(Bytes) || Bytes <- forms(Tag)]]) || Tag <- [101, 114, 90]].

forms(101) -> [<<131, 101, 119, 3, "a@b", First:32, 1>> || First <- firsts()];
forms(114) -> [<<131, 114, Count:16, 119, 3, "a@b", 1, First:32, (more(Count))/binary>> || Count <- counts(), First <- firsts()];
forms(90) -> [<<131, 90, Count:16, 119, 3, "a@b", 1:32, First:32, (more(Count))/binary>> || Count <- counts(), First <- firsts()].

counts() -> [1, 2, 3, 5, 6].
firsts() -> [0, 16#3ffff, 16#40000, 16#ffffffff].
more(Count) -> binary:copy(<<5:32>>, Count - 1).

result(Bytes) -> try is_reference(binary_to_term(Bytes)) catch Class:Reason -> {Class, Reason} end.
