%% Names of files as lists in lists, which prim_file takes: kernel gives it what init:get_argument/1 says, as it is.
-module(r_deep_names).
-export([main/0]).

main() ->
    [io:format("~P: ~w~n", [Name, 20, native(Name)]) || Name <- names()],
    File = "/proc/self/status",
    [io:format("~w~n", [is_ok(prim_file:read_file(Name))]) || Name <- [File, [File], ["/proc", [$/, ["self"]], "/status"],
                                                                       [File, a], [File | b], []]],
    [io:format("~w~n", [is_ok(erl_prim_loader:get_file(Name))]) || Name <- [["/etc/passwd"], ["/etc", "/passwd"]]].

names() ->
    [["/tmp/nw"], [[["/t"], $m], "p"], [<<"/tmp">>], ["a" | <<"b">>], [a], [], [[]], "a", ["a", 0], [$a | $b],
     [["a"] | "b"], [1000], [[16#d800]], ["a", [300]], [[], "x"], abc, [["a", 0]], ["a", []], [[[] | [$a]]],
     [["a" | b]], [["a" | b], "c"], [-1], [[1114112]], <<"x">>, <<>>, lists:foldl(fun(_, L) -> [L] end, "deep",
     lists:seq(1, 10000))].

native(Name) ->
    try prim_file:internal_name2native(Name) catch error:Reason -> Reason end.

is_ok({error, Reason}) -> Reason;
is_ok(Answer) -> element(1, Answer).
