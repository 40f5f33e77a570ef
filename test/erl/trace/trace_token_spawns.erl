%% Spawning under a sequence token: the request and the reply that the system tracer hears of, how they count in the
%% serials of parent and child, what the reply to spawn_request carries, and where traces of the same stand among them.
-module(trace_token_spawns).
-export([main/0, child/1, calling/1, id/1]).
-include("trace.hrl").

main() ->
    [{module, M} = code:ensure_loaded(M) || M <- [erlang, proc_lib, seq_trace]],
    Tracer = spawn(fun() -> collect([]) end),
    seq_trace:set_system_tracer(Tracer),
    [scenario(Tracer, Name, Fun) || {Name, Fun} <- answered() ++ requests() ++ tokens() ++ refused()],
    [scenario(Tracer, Name, Fun) || {Name, Fun} <- traced(Tracer) ++ tracers_own(Tracer)],
    seq_trace:set_system_tracer(false),
    show(serials, in_process(fun serials/0)),
    show(signs, [{S, in_process(fun() -> sign(S) end)} || S <- [0, 1, -1, -6, 1 bsl 40, 1 bsl 55, (1 bsl 59) - 2]]),
    show(set, in_process(fun set/0)),
    show(carried, [{Name, in_process(Fun)} || {Name, Fun} <- carried()]).

collect(L) ->
    receive
        {get, P} -> P ! {told, lists:reverse(L)}, collect([]);
        {do, Fun} -> Fun(), collect(L);
        M -> collect([M | L])
    end.

%% Nothing of what is told comes at the same time as anything else, so its order is one.
scenario(Tracer, Name, Fun) ->
    {P, M} = spawn_monitor(Fun),
    receive {'DOWN', M, process, _, Reason} -> ok end,
    Tracer ! {get, self()},
    receive {told, L} -> {[_ | Plain], _} = plain([P, {ended, Reason} | L], #{}), show(Name, Plain) end.

in_process(Fun) ->
    {_, M} = spawn_monitor(fun() -> Result = Fun(), seq_trace:set_token([]), exit(Result) end),
    receive {'DOWN', M, process, _, Result} -> Result end.

begin_token() ->
    [seq_trace:set_token(F, true) || F <- [send, 'receive', print]],
    seq_trace:set_token(label, 17).

id(X) -> X.

%% Waits to be told.
child(Parent) ->
    receive go -> ok end,
    seq_trace:print({child, seq_trace:get_token()}),
    Parent ! hello.

%% Calls first: nobody knows it.
calling(Parent) ->
    Parent ! {up, self()},
    child(Parent).

%% The parent's part.
heard({Pid, Ref}) when is_reference(Ref) -> seq_trace:print({monitor, Ref}), heard(Pid);
heard(Pid) ->
    seq_trace:print({parent, seq_trace:get_token()}),
    Pid ! go,
    gone(Pid),
    receive hello -> seq_trace:print({heard, seq_trace:get_token()}) end.

%% And it has told so those that it was linked to.
gone(Pid) ->
    M = monitor(process, Pid),
    receive {'DOWN', M, process, _, _} -> unlinked(Pid) end.

unlinked(Pid) ->
    {links, L} = process_info(self(), links),
    case lists:member(Pid, L) of
        true -> erlang:yield(), unlinked(Pid);
        false -> ok
    end.

with_token(Fun) -> fun() -> Self = self(), begin_token(), Fun(Self) end.

answered() ->
    [{spawn_1, with_token(fun(S) -> heard(spawn(fun() -> child(S) end)) end)},
     {spawn_3, with_token(fun(S) -> heard(spawn(?MODULE, child, [S])) end)},
     {spawn_4, with_token(fun(S) -> heard(spawn(node(), ?MODULE, child, [S])) end)},
     {spawn_link, with_token(fun(S) -> heard(spawn_link(fun() -> child(S) end)) end)},
     {spawn_monitor, with_token(fun(S) -> heard(spawn_monitor(?MODULE, child, [S])) end)},
     {spawn_opt, with_token(fun(S) -> heard(spawn_opt(?MODULE, child, [S], [{priority, high}, link, monitor])) end)},
     {spawn_opt_2, with_token(fun(S) -> heard(spawn_opt(fun() -> child(S) end, [{min_heap_size, 1000}])) end)},
     {spawn_opt_alias, with_token(fun(S) ->
          heard(spawn_opt(?MODULE, child, [S], [{monitor, [{alias, explicit_unalias}, {tag, x}]}])) end)},
     {proc_lib, with_token(fun(_) -> gone(proc_lib:spawn_link(?MODULE, id, [1])) end)},
     {twice, with_token(fun(S) -> [heard(spawn(?MODULE, child, [S])) || _ <- [1, 2]] end)},
     {both_first, with_token(fun(S) -> L = [spawn(?MODULE, child, [S]) || _ <- [1, 2]], [heard(P) || P <- L] end)},
     {grandchild, with_token(fun(S) ->
          heard(spawn(fun() -> receive go -> heard(spawn(?MODULE, child, [self()])) end, S ! hello end)) end)}].

requests() ->
    Ask = fun(Options, Tag) -> with_token(fun(S) ->
              R = spawn_request(?MODULE, child, [S], Options),
              seq_trace:print({asked, R, seq_trace:get_token()}),
              receive {Tag, R, ok, P} -> heard(P) end end) end,
    Unanswered = fun(Options) -> with_token(fun(S) ->
                     spawn_request(?MODULE, calling, [S], Options), receive {up, P} -> heard(P) end end) end,
    [{request, Ask([], spawn_reply)},
     {request_fun, with_token(fun(S) ->
          R = spawn_request(fun() -> child(S) end), receive {spawn_reply, R, ok, P} -> heard(P) end end)},
     {request_5, with_token(fun(S) ->
          R = spawn_request(node(), ?MODULE, child, [S], [link]),
          receive {spawn_reply, R, ok, P} -> heard(P) end end)},
     {request_options, Ask([link, monitor, {reply_tag, {a, [b]}}], {a, [b]})},
     {request_success_only, Ask([{reply, success_only}], spawn_reply)},
     {request_no_reply, Unanswered([{reply, no}])},
     {request_error_only, Unanswered([link, {reply, error_only}])},
     {request_abandoned, with_token(fun(S) ->
          R = spawn_request(?MODULE, child, [S], []),
          seq_trace:print(spawn_request_abandon(R)),
          receive {spawn_reply, R, ok, P} -> heard(P) end end)}].

tokens() ->
    Spawns = fun(S) -> heard(spawn(?MODULE, child, [S])) end,
    [{no_send, with_token(fun(S) -> seq_trace:set_token(send, false), Spawns(S) end)},
     {no_receive, with_token(fun(S) -> seq_trace:set_token('receive', false), Spawns(S) end)},
     {no_flags, with_token(fun(S) -> [seq_trace:set_token(F, false) || F <- [send, 'receive', print]], Spawns(S) end)},
     {label, with_token(fun(S) -> seq_trace:set_token(label, {a, "list", 1.5, 1 bsl 70}), Spawns(S) end)},
     {serial, with_token(fun(S) -> seq_trace:set_token(serial, {7, 100}), Spawns(S) end)},
     {received, with_token(fun(S) -> self() ! x, receive x -> Spawns(S) end end)},
     {sensitive, with_token(fun(S) ->
          process_flag(sensitive, true),
          P = spawn(?MODULE, child, [S]),
          process_flag(sensitive, false),
          heard(P) end)}].

refused() ->
    [{refused, with_token(fun(_) ->
          [{'EXIT', {Reason, _}} = (catch Fun()) || Reason <- [badarg],
           Fun <- [fun() -> spawn(a, b, id(c)) end, fun() -> spawn_opt(a, b, [], [id(c)]) end,
                   fun() -> spawn_request(a, b, [], id(c)) end, fun() -> spawn_link(id(x)) end]],
          seq_trace:print(seq_trace:get_token()) end)},
     {request_refused, with_token(fun(_) ->
          R = spawn_request(a, b, [], [no_option]),
          receive {spawn_reply, R, error, badopt} -> seq_trace:print(seq_trace:get_token()) end end)},
     {request_refused_so, with_token(fun(_) ->
          R = spawn_request(a, b, [], [no_option, {reply_tag, so}]),
          receive {so, R, error, badopt} -> seq_trace:print(seq_trace:get_token()) end end)}].

%% The child says nothing to its parent here: it is traced as well.
traced(Tracer) ->
    [{{traced, Flags, Name}, with_token(fun(_) ->
          erlang:trace(self(), true, [{tracer, Tracer} | Flags]),
          P = Spawn(),
          erlang:trace(self(), false, [all]),
          P ! go,
          gone(P) end)}
     || Flags <- [[procs, send, 'receive'], [procs, send, 'receive', set_on_spawn], [procs, set_on_first_link]],
        {Name, Spawn} <- [{spawn, fun() -> spawn(fun waiting/0) end},
                          {spawn_opt, fun() -> element(1, spawn_opt(fun waiting/0, [link, monitor])) end},
                          {request, fun() -> R = spawn_request(fun waiting/0), receive {_, R, ok, P} -> P end end}]].

waiting() -> receive go -> ok end.

%% Of what the system tracer does itself nothing is told, but its child's part counts.
tracers_own(Tracer) ->
    [{{own, Name}, fun() ->
          Me = self(),
          Tracer ! {do, fun() ->
              seq_trace:set_token(label, 17),
              P = Spawn(),
              Token = seq_trace:get_token(),
              seq_trace:set_token([]),
              P ! {tell, Me},
              Me ! {parent, Token} end},
          [receive {Who, T} -> exit_with(Who, T) end || Who <- [parent, child]],
          exit([get(parent), get(child)]) end}
     || {Name, Spawn} <- [{spawn, fun() -> spawn(fun telling/0) end},
                          {request, fun() -> R = spawn_request(fun telling/0), receive {_, R, ok, P} -> P end end}]].

exit_with(Who, {_, Label, Serial, _, Previous}) -> put(Who, {Label, Serial, Previous}).

telling() ->
    Token = seq_trace:get_token(),
    receive {tell, P} -> P ! {child, Token} end.

serial() -> {serial, S} = seq_trace:get_token(serial), S.

%% They outgrow a word, and go on from there.
serials() ->
    seq_trace:set_token(serial, {0, 1}),
    [begin spawn(fun() -> ok end), S = serial(), self() ! x, {S, serial()} end || _ <- lists:seq(1, 40)].

%% What comes with a greater serial counts the receiver's up, also where the sign has changed.
sign(Serial) ->
    seq_trace:set_token(serial, {0, Serial}),
    Self = self(),
    Tracee = fun() -> receive go -> S = serial(), Self ! {told, S}, receive never -> ok end end end,
    seq_trace:set_token([]),
    P = spawn(Tracee),
    seq_trace:set_token(serial, {0, Serial}),
    P ! go,
    Sent = serial(),
    seq_trace:set_token([]),
    receive {told, S} -> Back = serial(), self() ! x, [Sent, S, Back, serial()] end.

set() ->
    Serials = [{1, 2}, {-1, 2}, {1, -2}, {1 bsl 32, 1 bsl 33}, {(1 bsl 59) - 1, (1 bsl 59) - 1}, {1 bsl 59, 1},
               {1, 1 bsl 59}, {1 bsl 60, 1}, {1, 1 bsl 70}, {-(1 bsl 59), -(1 bsl 59)}, {-(1 bsl 59) - 1, 1},
               {1.0, 2}, {1}, x, {1, (1 bsl 32) - 1}],
    [begin
         Old = try seq_trace:set_token(serial, S) catch error:Reason -> Reason end,
         New = seq_trace:get_token(serial),
         self() ! x,
         {S, Old, New, seq_trace:get_token(serial)}
     end || S <- Serials].

%% The token afterwards, without the pid.
carried() ->
    Ask = fun(Options) -> spawn_request(erlang, date, [], Options) end,
    Answered = fun(R) ->
                   receive {spawn_reply, R, _, _} -> ok end,
                   case seq_trace:get_token() of
                       [] -> [];
                       Token -> setelement(4, Token, Token =:= setelement(4, Token, self()))
                   end
               end,
    Label = fun() -> seq_trace:set_token(label, 17) end,
    [{none_then_token, fun() -> R = Ask([]), Label(), Answered(R) end},
     {none_then_token_refused, fun() -> R = Ask([bad]), Label(), Answered(R) end},
     {token_then_none, fun() -> Label(), R = Ask([]), seq_trace:set_token([]), Answered(R) end},
     {token_then_none_refused, fun() -> Label(), R = Ask([bad]), seq_trace:set_token([]), Answered(R) end},
     {token_then_another, fun() -> Label(), R = Ask([]), seq_trace:set_token(label, 18), Answered(R) end},
     {two, fun() -> Label(), R1 = Ask([]), R2 = Ask([]), {Answered(R1), Answered(R2)} end}].
