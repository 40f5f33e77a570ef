%% Names of `global` in a runtime that is no node among others: servers find each other by them.
-module(r_global_alone).
-behaviour(gen_server).
-export([main/0, init/1, handle_call/3, handle_cast/2]).

main() ->
    io:format("~p~n", [global:whereis_name(nobody)]),
    {ok, Server} = gen_server:start({global, a_name}, ?MODULE, [], []),
    {error, {already_started, Server}} = gen_server:start({global, a_name}, ?MODULE, [], []),
    io:format("~p ~p~n", [gen_server:call({global, a_name}, question), global:registered_names()]),
    io:format("~p~n", [{global:register_name(other, self()), global:register_name(other, Server)}]),
    io:format("~p~n", [global:whereis_name(other) =:= self()]),
    ok = gen_server:stop({global, a_name}),
    {'EXIT', {noproc, _}} = (catch gen_server:call({global, a_name}, question)),
    yes = global:re_register_name(other, whereis(global_name_server)),
    io:format("~p~n", [global:whereis_name(other) =:= whereis(global_name_server)]),
    global:unregister_name(other),
    io:format("~p ~p~n", [global:registered_names(), {code:is_loaded(global) =/= false, is_list(code:which(global))}]),
    io:format("~p~n", [global:trans({a_lock, self()}, fun() -> inside end)]).

init([]) -> {ok, none}.
handle_call(question, _, State) -> {reply, answer, State}.
handle_cast(_, State) -> {noreply, State}.
