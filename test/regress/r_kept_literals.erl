%% What is kept outside of processes outlives the literals that it was made of: the sources of match specifications; the
%% label of a token that a process hands to its many links when it ends; and the arguments of a process that is made
%% while a large tag of its monitor is copied.
-module(r_kept_literals).
-export([main/0, child/2, traced/1]).

main() ->
    sources(),
    io:format("labels: ~p~n", [labels()]),
    io:format("arguments: ~p~n", [lists:usort([arguments(I) || I <- lists:seq(1, 5)])]).

%% A term that is a literal, until it is erased: another process then says so.
literal(Term) ->
    persistent_term:put(?MODULE, Term),
    persistent_term:get(?MODULE).

%% The place in memory is used again.
erase_literal() ->
    {P, M} = spawn_monitor(fun() ->
        persistent_term:erase(?MODULE),
        [begin
             persistent_term:put({?MODULE, I}, lists:duplicate(50, {other, [I]})),
             timer:sleep(5)
         end || I <- lists:seq(1, 40)],
        [persistent_term:erase({?MODULE, I}) || I <- lists:seq(1, 40)] end),
    receive {'DOWN', M, process, P, normal} -> ok end.

sources() ->
    Self = self(),
    {P, M} = spawn_monitor(fun() -> set_patterns(), Self ! set end),
    receive set -> ok end,
    receive {'DOWN', M, process, P, normal} -> ok end,
    erase_literal(),
    [io:format("~p~n", [erlang:trace_info(What, match_spec)]) || What <- [{?MODULE, traced, 1}, send, 'receive']],
    [erlang:trace_pattern(What, true, []) || What <- [send, 'receive']],
    erlang:trace_pattern({?MODULE, traced, 1}, false, [local]).

set_patterns() ->
    {Calls, Messages} = literal({[{['$1'], [{is_list, '$1'}], [{message, {{"some text", '$1'}}}]}],
                                 [{'_', [], [{message, {{"another", [text]}}}]}]}),
    1 = erlang:trace_pattern({?MODULE, traced, 1}, Calls, [local]),
    1 = erlang:trace_pattern(send, Messages, []),
    [{'_', Guards, _}] = Messages,
    1 = erlang:trace_pattern('receive', [{'_', Guards, [{message, false}]} | Messages], []).

traced(X) -> X.

label() -> {label, [I || <<I>> <= <<"a label of some length">>], #{key => "value"}}.

labels() ->
    Self = self(),
    {P, M} = spawn_monitor(fun() -> ends(Self) end),
    Linked = [spawn(fun() -> linked(P, Self) end) || _ <- lists:seq(1, 8000)],
    [receive {linked, L} -> ok end || L <- Linked],
    P ! 'end',
    receive {'EXIT', first} -> ok end,
    erase_literal(),
    receive {'DOWN', M, process, P, ended} -> ok end,
    [L ! {tell, Self} || L <- Linked],
    Labels = lists:usort([receive {L, Label} -> Label end || L <- Linked]),
    Labels =:= [label()] orelse Labels.

ends(Main) ->
    process_flag(priority, low),
    seq_trace:set_token(label, literal(label())),
    receive 'end' -> ok end,
    seq_trace:set_token(label, persistent_term:get(?MODULE)),
    Main ! ending,
    exit(ended).

linked(P, Main) ->
    process_flag(trap_exit, true),
    link(P),
    Main ! {linked, self()},
    receive {'EXIT', P, ended} -> ok end,
    {label, Label} = seq_trace:get_token(label),
    seq_trace:set_token([]),
    Main ! {'EXIT', first},
    receive {tell, Main} -> Main ! {self(), Label} end.

arguments(I) ->
    Argument = {argument, [I], "that is a literal"},
    Self = self(),
    {P, M} = spawn_monitor(fun() -> parent(Argument, Self) end),
    receive copying -> erase_literal() end,
    receive {child, C} -> C ! check end,
    R = receive {argument, Given} -> Given end,
    receive {'DOWN', M, process, P, _} -> ok end,
    R =:= Argument orelse R.

parent(Argument, Main) ->
    Tag = lists:seq(1, 500000),
    Literal = literal(Argument),
    garbage_collect(),
    Main ! copying,
    {C, _} = spawn_opt(?MODULE, child, [Main, Literal], [{monitor, [{tag, Tag}]}]),
    Main ! {child, C}.

child(Main, Literal) ->
    receive check -> Main ! {argument, Literal} end.
