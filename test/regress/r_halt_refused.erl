%% What halt/1,2 refuse, and what they say of it.
-module(r_halt_refused).
-export([main/0]).

main() ->
    [show(fun() -> halt(Status, Options) end)
     || {Status, Options} <- [{0, [foo]}, {0, [{flush, x}]}, {-1, []}, {-(1 bsl 70), []}, {a, []}, {a, [foo]}, {0, x},
                              {0, [{flush, true} | x]}, {[{a}], []}, {<<"a">>, [{flush, true}]}, {[foo | a], []}]],
    show(fun() -> halt(a) end).

show(F) ->
    try F() catch
        _:Reason:Trace ->
            [{_, Name, Arguments, Info} | _] = Trace,
            io:format("~0p~n", [{Reason, Name, Arguments, Info}])
    end.
