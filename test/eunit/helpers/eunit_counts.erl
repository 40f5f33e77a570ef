%% Runs the EUnit tests of a module and prints what fails, then `N passed, N failed`. Exit status 1 when one failed.
%% On viv: viv run -pa FOLDER eunit_counts MODULE.
-module(eunit_counts).
-export([main/1]).
-export([start/1, init/1, handle_begin/3, handle_end/3, handle_cancel/3, terminate/2]).
-behaviour(eunit_listener).

-define(SECONDS, 240).

main([Name]) ->
    Module = list_to_atom(Name),
    %% Not every process that a test crashes on purpose is to be reported.
    logger:set_primary_config(level, none),
    Self = self(),
    _ = eunit:test({Name, tests(Module)}, [no_tty, {report, {?MODULE, [{to, Self}]}}]),
    {Passed, Failed} = receive {counts, P, F} -> {P, F} end,
    io:format("~b passed, ~b failed~n", [Passed, Failed]),
    case Failed =:= 0 andalso Passed > 0 of
        true -> ok;
        false -> halt(1)
    end.

%% What eunit:test/2 finds in a module, but that no test ends after five seconds: slow or busy machines are no reason to
%% fail.
tests(Module) -> [tests(Module, F, lists:reverse(atom_to_list(F))) || {F, 0} <- Module:module_info(exports)].

tests(Module, F, "tset_" ++ _) -> patient({Module, F});
tests(Module, F, "_tset_" ++ _) -> {generator, fun() -> patient(Module:F()) end};
tests(_, _, _) -> [].

patient(Tests) when is_list(Tests) -> [patient(Test) || Test <- Tests];
patient({timeout, _, _} = Test) -> Test;
patient({spawn, Tests}) -> {spawn, patient(Tests)};
patient({inparallel, Tests}) -> {inparallel, patient(Tests)};
patient({Title, Tests}) when is_list(Title) -> {Title, patient(Tests)};
patient(Fixture) when element(1, Fixture) =:= setup; element(1, Fixture) =:= foreach -> Fixture;
patient(Test) -> {timeout, ?SECONDS, Test}.

start(Options) -> eunit_listener:start(?MODULE, Options).

init(Options) -> {0, 0, proplists:get_value(to, Options)}.

handle_begin(_, _, State) -> State.

handle_end(test, Data, {Passed, Failed, To}) ->
    case proplists:get_value(status, Data) of
        ok -> {Passed + 1, Failed, To};
        {skipped, Why} -> report(Data, io_lib:format("skipped: ~tp", [Why])), {Passed, Failed + 1, To};
        {error, Why} -> report(Data, eunit_lib:format_exception(Why)), {Passed, Failed + 1, To}
    end;
handle_end(group, _, State) -> State.

%% A fixture that fails takes its tests with it.
handle_cancel(_, Data, {Passed, Failed, To} = State) ->
    case proplists:get_value(reason, Data) of
        undefined -> State;
        Why -> report(Data, io_lib:format("cancelled: ~tp", [Why])), {Passed, Failed + 1, To}
    end.

report(Data, Text) ->
    io:format("~0tp ~ts line ~w:~n~ts~n", [proplists:get_value(source, Data), proplists:get_value(desc, Data, ""),
                                           proplists:get_value(line, Data), Text]).

terminate({ok, _}, {Passed, Failed, To}) -> To ! {counts, Passed, Failed};
terminate({error, Why}, {Passed, Failed, To}) ->
    io:format("EUnit: ~tp~n", [Why]),
    To ! {counts, Passed, Failed + 1}.
