%% The same code is loaded again, as the first of a list of modules, while others call a fun of it: they may be the first
%% to call a function of the new code, before it is the current one.
-module(r_funs_of_staged).
-export([main/0]).

main() ->
    All = [made(list_to_atom("staged" ++ integer_to_list(N))) || N <- lists:seq(1, 40)],
    load(All),
    F = staged1:f(),
    Pids = [spawn(fun() -> calls(F) end) || _ <- [1, 2, 3]],
    [reload(All) || _ <- lists:seq(1, 30)],
    io:format("~w ~w~n", [[is_process_alive(P) || P <- Pids], F(b)]),
    [exit(P, kill) || P <- Pids].

%% f() -> fun(X) -> {X} end.
made(Name) ->
    X = {var, 1, 'X'},
    Fun = {'fun', 1, {clauses, [{clause, 1, [X], [], [{tuple, 1, [X]}]}]}},
    {ok, Name, Beam} = compile:forms([{attribute, 1, module, Name}, {attribute, 1, export, [{f, 0}]},
                                      {function, 1, f, 0, [{clause, 1, [], [], [Fun]}]}], [binary]),
    {Name, Beam}.

load(All) -> ok = erlang:finish_loading([erlang:prepare_loading(Name, Beam) || {Name, Beam} <- All]).

reload(All) ->
    case lists:all(fun({Name, _}) -> not erlang:check_old_code(Name) orelse code:soft_purge(Name) end, All) of
        true -> load(All);
        false -> erlang:yield(), reload(All)
    end.

calls(F) -> {a} = F(a), calls(F).
