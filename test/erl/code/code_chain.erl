%% Three modules that call each other are replaced together, again and again, while processes call through them in both
%% directions. A call that began in a newer module never meets an older one, whichever way it goes.
-module(code_chain).
-export([main/0, call/2]).

-define(MODULES, [chain_a, chain_b, chain_c]).
-define(FIRST, "v1000000").

main() ->
    Templates = [{M, compiled(M, Next, Before)} || {M, Next, Before} <- [{chain_a, chain_b, none},
                                                                        {chain_b, chain_c, chain_a},
                                                                        {chain_c, none, chain_b}]],
    ok = load(Templates, 0),
    [code:purge(M) || M <- ?MODULES], % starts the code server
    Main = self(),
    Callers = [spawn_monitor(?MODULE, call, [Main, Way]) || Way <- [up, down, up, down]],
    Until = erlang:monotonic_time(millisecond) + 3000,
    Versions = replace(Templates, 1, Until),
    [Pid ! stop || {Pid, _} <- Callers],
    Ends = [receive {'DOWN', Ref, process, Pid, Reason} -> Reason end || {Pid, Ref} <- Callers],
    Calls = [receive {Pid, Count} -> Count after 0 -> 0 end || {Pid, _} <- Callers],
    io:format("callers: ~p~n", [Ends]),
    io:format("all called: ~p~n", [lists:all(fun(N) -> N > 10 end, Calls)]),
    io:format("replaced: ~p~n", [Versions > 3]),
    io:format("last: ~p~n", [chain_a:up() =:= lists:duplicate(3, version(Versions - 1))]),
    io:format("old code: ~p~n", [[erlang:check_old_code(M) || M <- ?MODULES]]),
    [{true, true, false} = {erlang:delete_module(M), code:purge(M) =:= false, erlang:module_loaded(M)} || M <- ?MODULES].

replace(Templates, N, Until) ->
    case (erlang:monotonic_time(millisecond) < Until orelse N < 5) andalso N < 3000 of
        true ->
            [purge(M) || M <- ?MODULES],
            ok = load(Templates, N),
            replace(Templates, N + 1, Until);
        false ->
            [purge(M) || M <- ?MODULES],
            N
    end.

%% Nobody is killed who was interrupted in the version before.
purge(M) -> code:soft_purge(M) orelse begin erlang:yield(), purge(M) end.

%% In any order of the list.
load(Templates, N) ->
    Prepared = [erlang:prepare_loading(M, of_version(Code, N)) || {M, Code} <- Templates],
    erlang:finish_loading(case N rem 2 of 0 -> Prepared; 1 -> lists:reverse(Prepared) end).

version(N) -> list_to_atom(version_text(N)).
version_text(N) -> "v" ++ integer_to_list(1000000 + N).

of_version(Code, N) ->
    Text = list_to_binary(version_text(N)),
    binary:replace(Code, <<?FIRST>>, Text, [global]).

%% up() -> [Version | Next:up()], down() -> [Version | Before:down()].
compiled(M, Next, Before) ->
    Forms = [{attribute, 1, module, M}, {attribute, 1, export, [{up, 0}, {down, 0}]}, function(up, Next),
             function(down, Before), {eof, 1}],
    {ok, M, Code} = compile:forms(Forms, []),
    Code.

function(Name, Other) ->
    Version = {atom, 1, list_to_atom(?FIRST)},
    %% The empty dictionary, as no literal: literals are compressed in the file.
    {Module, Function} = case Other of
                             none -> {erlang, get};
                             _ -> {Other, Name}
                         end,
    Rest = {call, 1, {remote, 1, {atom, 1, Module}, {atom, 1, Function}}, []},
    {function, 1, Name, 0, [{clause, 1, [], [], [{cons, 1, Version, Rest}]}]}.

call(Main, Way) -> call(Main, Way, version(0), 0).

call(Main, Way, Least, N) ->
    Versions = case Way of
                   up -> chain_a:up();
                   down -> chain_c:down()
               end,
    [First, _, Last] = Versions,
    case lists:sort(Versions) =:= Versions andalso Least =< First of
        true -> ok;
        false -> exit({half_a_set, Least, Versions})
    end,
    receive
        stop -> Main ! {self(), N + 1}
    after 0 -> call(Main, Way, Last, N + 1)
    end.
