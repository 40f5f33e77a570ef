%% Libraries of drivers: loaded, unloaded, reloaded, by several processes, with ports, and monitored.
-module(port_ddll).
-export([main/0]).
-include("../heard.hrl").

-define(NAME, "port_ddll").

main() ->
    process_flag(trap_exit, true),
    errors(),
    arguments(),
    counted(),
    pending_unload(),
    killed(),
    reloaded(),
    reload_fails(),
    reload_cancelled(),
    two_processes(),
    users_end(),
    names().

%% References stand as `ref`, ports as `port`, the process itself as `self`.
show(Term) -> io:format("~p~n", [shown(Term)]).
shown(Ref) when is_reference(Ref) -> ref;
shown(Port) when is_port(Port) -> port;
shown(Pid) when Pid =:= self() -> self;
shown(Pid) when is_pid(Pid) -> other;
shown([Head | Tail]) -> [shown(Head) | shown(Tail)];
shown(Tuple) when is_tuple(Tuple) -> list_to_tuple(shown(tuple_to_list(Tuple)));
shown(Other) -> Other.

all(N) -> [show(Message) || Message <- heard(N, 100)].
all_sorted(N) -> show(lists:sort(shown(heard(N, 100)))).
result(F) -> try F() catch error:Reason -> {error, Reason} end.
folder() -> os:getenv("NIF_LIBRARIES").
load(Options) -> result(fun() -> erl_ddll:try_load(folder(), ?NAME, Options) end).
unload(Options) -> result(fun() -> erl_ddll:try_unload(?NAME, Options) end).
info() -> result(fun() -> erl_ddll:info(?NAME) end).
open() -> open_port({spawn_driver, ?NAME}, []).
monitor_(When) -> erl_ddll:monitor(driver, {?NAME, When}).

errors() ->
    Names = [?NAME ++ Tail || Tail <- ["_other", "_fails", "_major", "_minor", "_old", "_undefined", "_null", "_library",
                                       "_none"]],
    [show({Name, text(erl_ddll:load(folder(), Name))}) || Name <- Names],
    [show({Error, result(fun() -> erl_ddll:format_error_int(Error) end)})
     || Error <- [inconsistent, linked_in_driver, permanent, not_loaded, not_loaded_by_this_process, not_pending,
                  already_loaded, pending_process, pending_reload, no_driver_init, bad_driver_name, driver_init_failed,
                  driver_incorrect_version, pending_driver, foo, {open_error, -1}, {open_error, -2}, {open_error, -3},
                  {open_error, -1000}, {open_error, 0}, {open_error, 1}, {open_error, x}, {foo, 1}, {a, b, c}]].

text({error, {open_error, _} = Error}) -> erl_ddll:format_error(Error);
text(Other) -> Other.

arguments() ->
    [show({Name, text(result(fun() -> erl_ddll:load(folder(), Name) end))})
     || Name <- [port_ddll, ?NAME, <<"port_ddll">>, ["port", $_, <<"ddll">>], 17, {x}]],
    [show({Path, result(fun() -> erl_ddll:load(Path, ?NAME) end)}) || Path <- ["/nix", "", 17, {x}]],
    show(info()),
    show([result(fun() -> erl_ddll:info(Name, Item) end)
          || {Name, Item} <- [{?NAME, Item} || Item <- [processes, driver_options, port_count, linked_in_driver, permanent,
                                                        awaiting_load, awaiting_unload, foo]]
                 ++ [{"nix", processes}, {17, processes}]]),
    show([load(Options)
          || Options <- [[], [{driver_options, [kill_ports]}], [{driver_options, [foo]}], [foo], [{monitor, pending}],
                         [{monitor, foo}], [{reload, foo}], x, [{driver_options, []}, {driver_options, []}], [{monitor, []}],
                         [{driver_options, [kill_ports, kill_ports]}], [{reload, pending_driver}]]]),
    show(result(fun() -> erl_ddll:try_load(folder(), "nix", [{reload, pending}]) end)),
    show([result(fun() -> erl_ddll:monitor(A, B) end)
          || {A, B} <- [{driver, {?NAME, loaded}}, {driver, {"nix", loaded}}, {driver, {nix, unloaded}},
                        {driver, {"nix", unloaded_only}}, {driver, {?NAME, foo}}, {foo, {?NAME, loaded}},
                        {driver, {17, loaded}}, {driver, foo}]]),
    all(4),
    show([result(fun() -> erl_ddll:demonitor(A) end) || A <- [make_ref(), foo, 17]]),
    show([result(fun() -> erl_ddll:try_unload(A, B) end)
          || {A, B} <- [{"nix", []}, {?NAME, [foo]}, {?NAME, foo}, {17, []}, {?NAME, [{monitor, foo}]}]]).

counted() ->
    {processes, [{_, Loads}]} = lists:keyfind(processes, 1, info()),
    show([unload([{monitor, pending}]), unload([{monitor, pending_driver}])]),
    show([unload([kill_ports]) || _ <- lists:seq(3, Loads)]),
    all(1),
    show([info(), unload([])]).

pending_unload() ->
    show(load([])),
    First = open(),
    show(unload([{monitor, pending_driver}])),
    show([monitor_(When) || When <- [unloaded, loaded, unloaded_only]]),
    show(info()),
    all(1),
    Second = open(),
    show([erl_ddll:info(?NAME, port_count), unload([]), load([])]),
    all(2),
    Ref = monitor_(unloaded),
    show([erl_ddll:info(?NAME, awaiting_unload), erl_ddll:demonitor(Ref), erl_ddll:info(?NAME, awaiting_unload)]),
    show(unload([])),
    port_close(First),
    port_close(Second),
    all(3),
    show(info()).

killed() ->
    show(load([{driver_options, [kill_ports]}])),
    open(),
    show([erl_ddll:info(?NAME, driver_options), unload([{monitor, pending}])]),
    all_sorted(2),
    show([info(), load([])]),
    open(),
    show(unload([kill_ports, {monitor, pending}])),
    all_sorted(2),
    show(info()).

reloaded() ->
    show(load([])),
    Port = open(),
    show(load([{reload, pending_driver}, {monitor, pending_driver}])),
    show(info()),
    Other = open(),
    show([monitor_(unloaded), monitor_(loaded), load([{reload, pending_driver}]), load([{reload, pending}]),
          result(fun() -> erl_ddll:try_load("/nix", ?NAME, []) end), load([{driver_options, [kill_ports]}])]),
    all(0),
    port_close(Port),
    port_close(Other),
    all_sorted(5),
    show(info()),
    show(load([{reload, pending_driver}, {monitor, pending_driver}])),
    all(1),
    show([erl_ddll:reload(folder(), ?NAME), erl_ddll:reload_driver(folder(), ?NAME)]),
    show(unload([])).

reload_fails() ->
    show(load([])),
    show(text(result(fun() -> erl_ddll:try_load("/nix", ?NAME, [{reload, pending_driver}]) end))),
    show([info(), load([])]),
    Port = open(),
    show([monitor_(unloaded), element(2, erl_ddll:try_load("/nix", ?NAME, [{reload, pending_driver},
                                                                          {monitor, pending_driver}]))]),
    port_close(Port),
    show(lists:sort([case Message of
                         {'DOWN', _, driver, Name, {load_failure, {open_error, _} = Error}} ->
                             {Name, erl_ddll:format_error(Error)};
                         _ -> shown(Message)
                     end || Message <- heard(3, 100)])),
    show(info()).

reload_cancelled() ->
    show(load([])),
    Port = open(),
    show(load([{reload, pending_driver}, {monitor, pending_driver}])),
    show(unload([{monitor, pending}])),
    all(1),
    show(info()),
    show(load([])),
    all(1),
    show([unload([]), port_close(Port)]),
    all_sorted(1),
    show(info()).

two_processes() ->
    show(load([])),
    Self = self(),
    Other = spawn_link(fun() -> other(Self) end),
    ask(Other, fun() -> unload([]) end),
    ask(Other, fun() -> load([]) end),
    ask(Other, fun() -> load([{driver_options, [kill_ports]}]) end),
    show([info(), load([{reload, pending_driver}]), unload([])]),
    show([unload([]), info()]),
    ask(Other, fun() -> unload([]) end),
    show(info()),
    Other ! stop,
    all(1).

other(To) -> receive {ask, F} -> To ! {asked, F()}, other(To); stop -> ok end.
ask(Pid, F) -> Pid ! {ask, F}, receive {asked, Answer} -> show(Answer) end.

users_end() ->
    [ended(Options, Heard) || {Options, Heard} <- [{[{driver_options, [kill_ports]}], 2}, {[], 1}]],
    show([unload([{monitor, pending}]), unload([kill_ports])]),
    all_sorted(2),
    show(info()).

ended(Options, Heard) ->
    Self = self(),
    Pid = spawn_link(fun() -> load(Options), load(Options), Self ! loaded, receive stop -> ok end end),
    receive loaded -> ok end,
    show(info()),
    open(),
    Pid ! stop,
    all_sorted(Heard),
    show(info()).

names() ->
    show(load([])),
    {ok, Names} = erl_ddll:loaded_drivers(),
    show([lists:member(?NAME, Names), lists:member("fd", Names), lists:member("spawn", Names)]),
    show([Name || {Name, _} <- erl_ddll:info()]),
    show(unload([])).
