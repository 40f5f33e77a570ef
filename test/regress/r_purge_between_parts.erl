%% A native function goes on later (enif_schedule_nif), and its module is purged meanwhile: nothing on the stack refers to
%% it. The library stays until the call is over, however it ends. It was closed under the call.
-module(r_purge_between_parts).
-export([main/0, cell_address/0, begin_call/1, let_go/1, goes_on/0]).
-nifs([cell_address/0, begin_call/1, let_go/1, goes_on/0]).
-define(M, r_purge_between_parts_m).

main() ->
    ok = erlang:load_nif(library(?MODULE), 0),
    register(?MODULE, self()),
    {ok, ?M, Code} = compile:forms(forms()),
    Calls = [{part, 0}, {part, 1}, {part, 2}, {failing, why}],
    [io:format("~p ~p~n", [Call, goes_on(Call, Code)]) || Call <- Calls],
    [io:format("killed ~p ~p~n", [Call, killed(Call, Code)]) || Call <- Calls].

goes_on(Call, Code) ->
    {P, M} = called_and_replaced(Call, Code),
    Purged = {erlang:check_process_code(P, ?M), code:purge(?M), unloaded(20)},
    let_go(P),
    Result = receive {P, R} -> R end,
    Unloaded = unloaded(5000),
    exit(P, kill),
    receive {'DOWN', M, _, _, _} -> ok end,
    {Purged, Result, Unloaded}.

killed(Call, Code) ->
    {P, M} = called_and_replaced(Call, Code),
    Purged = {code:purge(?M), unloaded(20)},
    exit(P, kill),
    {Purged, receive {'DOWN', M, _, _, Why} -> Why end, unloaded(5000)}.

called_and_replaced({Function, Argument}, Code) ->
    {module, ?M} = code:load_binary(?M, "", Code),
    ok = ?M:load(library(?M)),
    begin_call(0),
    Self = self(),
    Cell = cell_address(),
    {P, M} = spawn_monitor(fun() -> call(Self, Function, [Cell, Argument]), receive after infinity -> ok end end),
    until(fun goes_on/0),
    {module, ?M} = code:load_binary(?M, "", Code),
    {P, M}.

%% The native function is not called from the module that goes.
call(To, Function, Arguments) ->
    Result = try apply(?M, Function, Arguments)
             catch C:R:S -> {C, R, element(1, hd(S)), element(3, hd(S)) =:= Arguments}
             end,
    To ! {self(), Result}.

unloaded(Timeout) -> receive unloaded -> unloaded after Timeout -> loaded end.

library(Module) -> filename:join(os:getenv("NIF_LIBRARIES"), atom_to_list(Module)).

until(F) -> F() orelse begin receive after 1 -> ok end, until(F) end.

forms() ->
    [begin {ok, Tokens, _} = erl_scan:string(Text), {ok, Form} = erl_parse:parse_form(Tokens), Form end
     || Text <- ["-module(r_purge_between_parts_m).", "-export([load/1, part/2, failing/2]).",
                 "load(Library) -> erlang:load_nif(Library, 0).", "part(_, _) -> erlang:nif_error(not_loaded).",
                 "failing(_, _) -> erlang:nif_error(not_loaded)."]].

cell_address() -> erlang:nif_error(not_loaded).
begin_call(_) -> erlang:nif_error(not_loaded).
let_go(_) -> erlang:nif_error(not_loaded).
goes_on() -> erlang:nif_error(not_loaded).
