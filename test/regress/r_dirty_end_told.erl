%% A process is killed in a dirty native function. Its exit signals go with its sequential trace token, and the system
%% profile hears that it is active no more: what ended in its stead knew of neither. One that is traced ends at once too:
%% it did when the function returned. Its calls that do not return are told, to whom they are told of others.
-module(r_dirty_end_told).
-export([main/0, traced/1, hold/0, let_go/0, send_many/2]).
-nifs([hold/0, let_go/0, send_many/2]).
-include("../erl/quiet.hrl").

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    erlang:system_profile(self(), [runnable_procs]),
    seq_trace:set_system_tracer(self()),
    Linked = linked(self()),
    {P, M} = spawn_monitor(holds(self(), Linked)),
    until(fun() -> erts_internal:is_process_executing_dirty(P) end),
    receive begun -> seq_trace:set_token([]) end,
    exit(P, kill),
    io:format("~p~n", [receive {'DOWN', M, process, P, Result} -> Result end]),
    io:format("begun ~p~n", [sent(P, self(), begun)]),
    io:format("exit ~p~n", [sent(P, Linked, {'EXIT', P, killed})]),
    io:format("token ~p~n", [receive {Linked, Label} -> Label after 60000 -> none end]),
    io:format("~p~n", [states(P)]),
    erlang:system_profile(undefined, []),
    seq_trace:set_system_tracer(false),
    [io:format("~p~n", [ended(Flags, How)])
     || {Flags, How} <- [{[procs], []}, {[call, procs, return_to], [local]}, {[call], [local, meta]},
                         {[], [meta]}, {[procs], [meta]}]],
    let_go(),
    io:format("while it sends ~p~n", [lists:usort([while_sending(200) || _ <- lists:seq(1, 100)])]).

ended(Flags, How) ->
    {P, M} = spawn_monitor(fun() -> receive go -> ok end, [traced(1)] end),
    [1 = erlang:trace(P, true, Flags) || Flags =/= []],
    [1 = erlang:trace_pattern({?MODULE, traced, 1}, [{'_', [], [{exception_trace}]}], How) || How =/= []],
    P ! go,
    until(fun() -> erts_internal:is_process_executing_dirty(P) end),
    exit(P, kill),
    Reason = receive {'DOWN', M, process, P, R} -> R after 60000 -> late end,
    [1 = erlang:trace_pattern({?MODULE, traced, 1}, false, How) || How =/= []],
    quiet(),
    {Flags, How, Reason, events(P)}.

events(P) ->
    receive
        {trace, P, What, A} -> [{What, A} | events(P)];
        {trace, P, What, A, B} -> [{What, A, B} | events(P)];
        {trace_ts, P, What, A, _} -> [{meta, What, A} | events(P)];
        {trace_ts, P, What, A, B, _} -> [{meta, What, A, B} | events(P)]
    after 100 -> []
    end.

traced(X) -> [hold() | X].

%% What it sends with its token it counts.
while_sending(N) ->
    Main = self(),
    Linked = linked(Main),
    {P, M} = spawn_monitor(fun() -> link(Linked), seq_trace:set_token(label, 18), send_many(Main, N) end),
    Last = N - 1,
    receive Last -> exit(P, kill) end,
    Reason = receive {'DOWN', M, process, P, R} -> R end,
    forget_numbers(),
    case Reason of
        killed -> receive {Linked, Label} -> Label end;
        normal -> exit(Linked, kill), {label, 18}
    end.

forget_numbers() -> receive N when is_integer(N) -> forget_numbers() after 0 -> ok end.

%% Traps exits when this returns.
linked(Main) ->
    P = spawn(fun() ->
        process_flag(trap_exit, true),
        Main ! {self(), ready},
        receive {'EXIT', _, killed} -> Main ! {self(), seq_trace:get_token(label)} end
    end),
    receive {P, ready} -> P end.

holds(Main, Linked) ->
    fun() ->
        link(Linked),
        seq_trace:set_token(label, 17),
        seq_trace:set_token(send, true),
        Main ! begun,
        hold()
    end.

sent(P, To, What) -> receive {seq_trace, 17, {send, Serial, P, To, What}} -> Serial after 60000 -> none end.

states(P) -> receive {profile, P, State, _, _} -> [State | states(P)] after 100 -> [] end.

until(F) -> F() orelse begin receive after 1 -> ok end, until(F) end.

hold() -> erlang:nif_error(not_loaded).
let_go() -> erlang:nif_error(not_loaded).
send_many(_, _) -> erlang:nif_error(not_loaded).
