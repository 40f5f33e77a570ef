%% While a module's on_load function runs others load the module, or give it up. Then the purger, which is to finish for
%% the code server, finds that it cannot: it is a process of the system, and the node ended with it.
-module(r_on_load_overtaken).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    Waits = code("-module(m). -on_load(i/0). -export([a/0]). i() -> ok. a() -> on_load."),
    Others = [code("-module(m). -export([a/0]). a() -> " ++ integer_to_list(I) ++ ".") || I <- [1, 2]],
    [io:format("~p~n", [overtaken(Waits, Others, How)]) || How <- [loaded_twice, given_up]].

overtaken(Waits, Others, How) ->
    {on_load, [m]} = erlang:finish_loading([erlang:prepare_loading(m, Waits)]),
    case How of
        loaded_twice -> [{module, m} = erlang:load_module(m, Code) || Code <- Others];
        given_up -> true = erlang:finish_after_on_load(m, false)
    end,
    Finished = erts_code_purger:finish_after_on_load(m, true),
    _ = (catch erlang:delete_module(m)),
    [code:purge(m) || _ <- [1, 2]],
    {How, Finished, is_pid(whereis(erts_code_purger))}.

code(Source) ->
    {ok, Tokens, _} = erl_scan:string(Source),
    {ok, m, Code} = compile:forms(forms(Tokens, [])),
    Code.

forms([], []) -> [];
forms([{dot, _} = Dot | More], Form) ->
    {ok, Parsed} = erl_parse:parse_form(lists:reverse([Dot | Form])),
    [Parsed | forms(More, [])];
forms([Token | More], Form) -> forms(More, [Token | Form]).
