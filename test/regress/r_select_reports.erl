%% What the logger is told of drivers and libraries that select descriptors as they should not: of another's, which they
%% steal, of none, without a callback, and left behind. Nothing was said, and a library's select of a port's descriptor
%% took it only until the port armed it again.
%% Not under leaks: what is watched when its library goes stays.
-module(r_select_reports).
-export([main/0, select_it/3, pair/0]).
-nifs([select_it/3, pair/0]).

-define(READ, 1).
-define(WRITE, 2).
-define(USE, 4).

select_it(_Object, _Fd, _Mode) -> erlang:nif_error(not_loaded).
pair() -> erlang:nif_error(not_loaded).

main() ->
    Folder = os:getenv("NIF_LIBRARIES"),
    ok = erlang:load_nif(filename:join(Folder, ?MODULE_STRING), []),
    ok = erl_ddll:load_driver(Folder, ?MODULE_STRING),
    erlang:system_flag(system_logger, self()),
    [A, B, C] = [open_port({spawn, ?MODULE_STRING ++ Name}, []) || Name <- ["", " with a name", ""]],
    [F1, F2, F3, F4, F5] = [pair() || _ <- "12345"],
    driver(A, F1, ?READ bor ?USE, 1), told(stolen, fun() -> driver(B, F1, ?READ, 1) end),
    told(stolen_by_off, fun() -> driver(A, F1, ?READ, 0) end),
    driver(B, F2, ?READ, 1), told(stolen_by_library, fun() -> select_it(0, F2, ?READ) end),
    told(among_libraries, fun() -> select_it(1, F2, ?READ) end),
    told(stolen_back, fun() -> driver(A, F2, ?READ, 1) end),
    told(bad_input, fun() -> driver(A, 5000, ?READ, 1) end),
    told(bad_output, fun() -> driver(A, 5001, ?WRITE, 1) end),
    told(bad_both, fun() -> driver(B, 5002, ?READ bor ?WRITE, 1) end),
    told(bad_of_library, fun() -> select_it(0, 5003, ?READ) end),
    told(too_large, fun() -> driver(B, 10000000, ?READ bor ?WRITE, 1) end),
    told(too_large_of_library, fun() -> select_it(0, 10000000, ?READ) end),
    told(no_ready_output, fun() -> driver(A, F3, ?WRITE, 1) end),
    told(no_ready_output, fun() -> driver(B, F3, ?WRITE, 1) end),
    told(no_stop_select, fun() -> driver(A, F4, ?READ bor ?USE, 1), driver(A, F4, ?READ bor ?USE, 0) end),
    told(left, fun() -> driver(C, F5, ?READ, 1), port_close(C), driver(A, F5, ?READ, 0) end).

driver(Port, Fd, Mode, On) ->
    [] = port_control(Port, 0, lists:join(" ", [integer_to_list(N) || N <- [Fd, Mode, On]])).

told(What, Do) ->
    Do(),
    {Format, Arguments, Source} =
        receive {log, error, F, As, #{error_logger := S}} -> {F, As, S} after 20000 -> {"nothing~n", [], none} end,
    Text = lists:flatten(io_lib:format(Format, Arguments)),
    io:format("~w ~w ~ts", [What, Source, lists:foldl(fun plain/2, Text, [{"0x[0-9a-f]{16}", "PORT"},
        {"fd=[0-9]{1,2} ", "fd=N "}, {"event=[0-9]+", "event=N"}, {"_select\\((PORT|_), [0-9]{1,2},", "_select(\\1, N,"},
        {"#Port<[0-9.]+>", "a port"}, {"with in-pid <[0-9.]+>", "with a pid"}, {"_, N, READ WRITE", "_, N, READ"},
        {"allowed fd=[0-9]+", "allowed"}])]).

plain({What, By}, Text) -> re:replace(Text, What, By, [global, {return, list}]).
