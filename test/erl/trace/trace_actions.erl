%% Actions of match specifications: stack traces, sequence tokens, display, process_dump; and match_spec_test/3.
-module(trace_actions).
-export([main/0, f/1]).
-include("trace.hrl").

f(X) -> X.
g(X) -> [f(X)].
h(X) -> {g(X), 1}.
last(X) -> f(X).
deep(0) -> f(0);
deep(N) -> [deep(N - 1)].
odd(0) -> f(0);
odd(N) -> [even(N - 1)].
even(0) -> f(0);
even(N) -> {odd(N - 1)}.

main() -> tokens(), kept(), stacks(), dump(), display(), tested().

each(P, Action, Fun) ->
    R = try erlang:trace_pattern({?MODULE, f, 1}, [{'_', [], [{message, Action}]}], [local]) catch _:E -> E end,
    run(P, Fun),
    {R, [case M of
             {trace, _, call, {_, f, A}} -> {f, A};
             {trace, _, call, {_, f, A}, Extra} -> {f, A, Extra}
         end || M <- collected(P)]}.

tokens() ->
    P = servant(),
    erlang:trace(P, true, [call]),
    [begin
         {R, Told} = each(P, A, fun() -> h(1), last(2), [f(3)] end),
         show(A, [R | [case T of
                           {_, _, {Flags, Label, _, From, _}} -> {token, Flags, Label, From =:= P};
                           _ -> T
                       end || T <- Told]])
     end || A <- [{get_seq_token}, {is_seq_trace}, {set_seq_token, label, 17}, {get_seq_token},
                  {set_seq_token, send, true}, {set_seq_token, timestamp, true}, {get_seq_token}, {is_seq_trace},
                  {set_seq_token, serial, 3}, {set_seq_token, serial, {{3, 4}}}, {set_seq_token, serial, {{3, x}}},
                  {get_seq_token}, {set_seq_token, nonsense, 3}, {set_seq_token, label, {{a, "b"}}}, {get_seq_token},
                  {set_seq_token, 'receive', perhaps}, {set_seq_token, print, false}, {set_seq_token, print, true},
                  {set_seq_token, label, []}, {set_seq_token, monotonic_timestamp, true}, {get_seq_token},
                  {set_seq_token, strict_monotonic_timestamp, true}, {set_seq_token, {self}, true}, {get_seq_token},
                  {set_seq_token, sequential_trace_token, []}, {get_seq_token}]],
    erlang:trace_pattern({?MODULE, f, 1}, false, [local]),
    seq_trace:set_token([]),
    over(P).

%% What the runtime sends leaves the token as it is; a process that has none takes it.
kept() ->
    P = spawn(fun() -> receive go -> ok end end), Self = self(),
    Q = spawn(fun() -> receive go -> ok end end), M = monitor(process, Q),
    process_flag(trap_exit, true),
    token(traced, fun() ->
                          erlang:trace(P, true, [procs]), exit(P, bye),
                          receive {trace, P, exit, bye} -> ok end
                  end),
    token(send_after, fun() -> erlang:send_after(1, self(), x), receive x -> ok end end),
    token(start_timer, fun() -> R = erlang:start_timer(1, self(), x), receive {timeout, R, x} -> ok end end),
    token(down, fun() -> exit(Q, kill), receive {'DOWN', M, _, _, _} -> ok end end),
    token(noproc, fun() -> R = monitor(process, Q), receive {'DOWN', R, _, _, noproc} -> ok end end),
    token(noproc_link, fun() -> link(Q), receive {'EXIT', Q, noproc} -> ok end end),
    token(timeout, fun() -> receive after 1 -> ok end end),
    token(collected, fun() -> erlang:garbage_collect(Self, [{async, x}]), receive {garbage_collect, _, _} -> ok end end),
    token(delivered, fun() -> R = erlang:trace_delivered(all), receive {trace_delivered, all, R} -> ok end end),
    token(spawned, fun() -> R = spawn_request(fun() -> ok end), receive {spawn_reply, R, _, _} -> ok end end),
    Plain = spawn(fun() -> receive after 50 -> Self ! plain end end),
    token(plain, fun() -> receive plain -> ok end end),
    Link = spawn_link(fun() -> receive after 50 -> ok end end),
    token(exit, fun() -> receive {'EXIT', Link, _} -> ok end end),
    process_flag(trap_exit, false),
    [exit(X, kill) || X <- [Plain, Link]].

token(Name, Fun) ->
    seq_trace:set_token(label, 5),
    Fun(),
    Token = seq_trace:get_token(),
    seq_trace:set_token([]),
    show(Name, Token =/= [] andalso element(2, Token) =:= 5).

%% Not there before OTP 26: then what OTP 27 answers is printed.
stacks() ->
    P = servant(),
    erlang:trace(P, true, [call]),
    Names = fun({_, Told}) -> [[{F, A, is_list(proplists:get_value(file, L)), is_integer(proplists:get_value(line, L))}
                                || {_, F, A, L} <- Trace, F =/= served, hd(atom_to_list(F)) =/= $-]
                               || {f, _, Trace} <- Told] end,
    Place = fun(F) -> {F, 1, true, true} end,
    [case each(P, A, Fun) of
         {badarg, _} when Expected =/= refused -> show(A, Expected);
         {badarg, []} -> show(A, refused);
         Told -> show(A, Names(Told))
     end || {A, Fun, Expected} <-
                [{{current_stacktrace}, fun() -> [h(1), last(2)] end, [[Place(g), Place(h)], []]},
                 {{current_stacktrace, 1}, fun() -> [h(1), 1] end, [[Place(g)]]},
                 {{current_stacktrace, 0}, fun() -> [h(1), 1] end, [[]]},
                 {{current_stacktrace, 100}, fun() -> [deep(20)] end, [[Place(deep)]]},
                 {{current_stacktrace}, fun() -> [odd(20)] end, [lists:append(lists:duplicate(4, [Place(even), Place(odd)]))]},
                 {{current_stacktrace, 3}, fun() -> [odd(20)] end, [[Place(even), Place(odd), Place(even)]]},
                 {{current_stacktrace, -1}, fun() -> ok end, refused},
                 {{current_stacktrace, x}, fun() -> ok end, refused},
                 {{current_stacktrace, 1 bsl 70}, fun() -> ok end, refused}]],
    erlang:trace_pattern({?MODULE, f, 1}, false, [local]),
    over(P).

%% The lines of a dump, without what differs from one runtime to another.
dump() ->
    P = servant(), Self = self(),
    erlang:trace(P, true, [call]),
    {1, [{f, [1], Text}]} = each(P, {process_dump}, fun() -> put(key, {value, 1}), process_flag(priority, high), h(1) end),
    show(binary, is_binary(Text)),
    [<<"=proc:", Pid/binary>> | Lines] = binary:split(Text, <<"\n">>, [global]),
    show(pid, Pid =:= list_to_binary(pid_to_list(P))),
    {Head, Rest} = lists:splitwith(fun(L) -> L =/= <<"Stack dump:">> end, Lines),
    show(keys, [Key || L <- Head, [Key, _] <- [binary:split(L, <<": ">>)],
                       not lists:member(Key, [<<"Last scheduled in for">>, <<"Message queue">>])]),
    show(parent, lists:member(list_to_binary("Spawned by: " ++ pid_to_list(Self)), Head)),
    show(facts, [L || L <- Head, Key <- [<<"State">>, <<"Dictionary">>, <<"Message queue length">>],
                      hd(binary:split(L, <<": ">>)) =:= Key]),
    show(stack, [Name || L <- Rest, {match, [Name]} <- [re:run(L, "Return addr 0x[0-9a-f]* \\(([^ ]*)",
                                                               [{capture, [1], binary}])]]),
    show(state, [lists:last(binary:split(L, <<"| ">>, [global])) || L = <<"Internal State:", _/binary>> <- Rest]),
    erlang:trace_pattern({?MODULE, f, 1}, false, [local]),
    over(P).

display() ->
    P = servant(),
    erlang:trace(P, true, [call]),
    erlang:trace_pattern({?MODULE, f, 1}, [{['$1'], [], [{display, '$1'}, {message, {display, {{shown, '$1'}}}}]}], [local]),
    timer:sleep(200),
    run(P, fun() -> f({a, "text", [1, 2.5]}) end),
    quiet(),
    timer:sleep(200),
    show(display, collected(P)),
    erlang:trace_pattern({?MODULE, f, 1}, false, [local]),
    over(P).

tested() ->
    [show(Body, try erlang:match_spec_test([a], [{'_', [], Body}], trace) catch _:R -> R end)
     || Body <- [[{return_trace}], [{exception_trace}], [{message, x}], [{message, false}], [{silent, true}], [{caller}],
                 [{set_tcw, 3}], [{get_tcw}], [{set_tcw, 0}], [{set_seq_token, label, 1}], [{get_seq_token}], [{return_trace}, {message, y}],
                 [{return_trace}, {exception_trace}, {self}], [{is_seq_trace}], [{message, true}, 3], [{caller_line}],
                 [{silent, no_flag}], [{trace, [no_flag], []}], [{process_dump}], [{set_seq_token, label}], [{caller, 1}],
                 [{return_trace, x, y}]]],
    seq_trace:set_token([]),
    [show({Object, Kind}, try erlang:match_spec_test(Object, [{['_'], [], [true]}], Kind) catch _:R -> R end)
     || Kind <- [trace, table, other], Object <- [a, [a], {a}, []]].

over(P) ->
    erlang:trace(P, false, [all]),
    exit(P, kill), M = monitor(process, P), receive {'DOWN', M, _, _, _} -> ok end,
    receive after 0 -> everything() end.
