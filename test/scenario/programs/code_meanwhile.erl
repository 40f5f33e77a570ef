%% While one process works long in one call, others go on: one finishes loads, each of which waits for thread progress
%% after the one before. So that it finishes several while the call lasts says that the call neither holds up thread
%% progress nor keeps its scheduler.
-module(code_meanwhile).
-export([main/0, argument/1]).

-define(ENOUGH, 5).
-define(WHILE, 3000). % ms in which one is asked
-define(PATIENCE, 60000). % ms of trying: other programs may take the cores

main() ->
    register(meter, self()),
    put(passed, 0),
    put(failed, 0),
    Code = small(),
    [check(Name, fun() -> measured(Work, Code) end) || {Name, Work} <- works()],
    [check(Name, fun() -> asked(Holds, Code) end) || {Name, Holds} <- holders(Code)],
    io:format("~b passed, ~b failed~n", [get(passed), get(failed)]).

%% What keeps its scheduler does so each time; so one round of many that is long enough says all.
check(Name, Measured) -> check(Name, Measured, erlang:monotonic_time(millisecond) + ?PATIENCE, 0).

check(Name, Measured, End, Most) ->
    Finished = max(Measured(), Most),
    case erlang:monotonic_time(millisecond) < End of
        _ when Finished >= ?ENOUGH ->
            put(passed, get(passed) + 1);
        true ->
            check(Name, Measured, End, Finished);
        false ->
            put(failed, get(failed) + 1),
            io:format("FAILED: ~s: at most ~b loads meanwhile~n", [Name, Finished])
    end.

%% Each makes its input and works between ready() and done().
works() ->
    [{compare, fun() -> {A, B} = {big(), big()}, ready(), true = A =:= B, done(A) end},
     {send, fun() -> {A, P} = {big(), other()}, ready(), P ! A, done(A) end},
     {send_to_name, fun() ->
                            A = big(),
                            catch register(somebody, other()),
                            ready(),
                            somebody ! A,
                            done(A)
                    end},
     {send_to_itself, fun() ->
                              A = big(),
                              process_flag(message_queue_data, off_heap), % else nothing is copied
                              ready(),
                              self() ! A,
                              done(A)
                      end},
     {send_to_alias, fun() -> {A, Alias} = {big(), alias()}, ready(), Alias ! A, done(A) end},
     {send_later, fun() -> A = big(), ready(), erlang:cancel_timer(erlang:send_after(9000, self(), A)), done(A) end},
     {spawn, fun() -> A = big(), ready(), spawn(?MODULE, argument, [A]), done(A) end},
     {exit_signal, fun() -> {A, P} = {big(), other()}, ready(), exit(P, A), done(A) end},
     {exit_of_linked, fun() -> {A, P} = {big(), trapping()}, link(P), ready(), exit(A) end},
     {answer, fun() -> {A, P} = {big(), other()}, P ! A, ready(), done([A, process_info(P, messages)]) end},
     {dictionary, fun() -> A = big(), ready(), put(A, 1), done(get(A)) end},
     {table, fun() -> {A, T} = {big(), ets:new(t, [])}, ready(), ets:insert(T, {1, A}), done(A) end},
     {named_table, fun() ->
                           A = big(),
                           ets:new(named, [named_table]),
                           ready(),
                           ets:insert(named, [{1, A}, {2, 1}]),
                           done(A)
                   end},
     {persistent, fun() -> A = {make_ref(), big()}, ready(), persistent_term:put(big_term, A), done(A) end},
     {hash, fun() -> A = big(), ready(), erlang:phash2(A), done(A) end},
     {collect, fun() -> A = big(), ready(), garbage_collect(), done(A) end},
     {prepare, fun() ->
                       {M, Code, _} = code:get_object_code(unicode_util), % half a megabyte
                       ready(),
                       erlang:yield(), % nothing else was done in the slice
                       done(erlang:prepare_loading(M, Code))
               end}].

big() -> [{I, [I]} || I <- lists:seq(1, 400000)].
argument(_) -> ok.
other() -> spawn(fun() -> receive nothing -> ok end end).
trapping() -> spawn(fun() -> process_flag(trap_exit, true), receive {'EXIT', _, _} -> ok end end).
ready() -> meter ! {ready, self()}, receive go -> ok end.
done(T) -> meter ! done, T. % whatever it worked on is alive until now

prepared(N, Code) -> [erlang:prepare_loading(M, C) || _ <- lists:seq(1, N), {M, C} <- [named(Code)]].

measured(Work, Code) ->
    Prepared = prepared(?ENOUGH + 1, Code),
    {Pid, Ref} = spawn_monitor(Work),
    receive {ready, Pid} -> Pid ! go end,
    Finished = load(Prepared, Ref, 0),
    receive {'DOWN', Ref, process, _, _} -> ok end,
    receive done -> Finished after 0 -> Finished end.

load([], _, N) -> N;
load([First | Rest], Ref, N) ->
    ok = erlang:finish_loading([First]),
    receive
        done -> N;
        {'DOWN', Ref, process, _, _} = Down -> self() ! Down, N
    after 0 -> load(Rest, Ref, N + 1)
    end.

%% What processes are asked when code or literals go: to look through their heap, or their stack. One that has much
%% there answers no message meanwhile; so how many loads were finished between two of its answers says how long the
%% others went on for. When it is asked is not known: a while after the literals were given up.
holders(Code) ->
    Asks = [{no_literal, fun(_) -> ok end}, {literal, fun(P) -> P ! persistent_term:get(to_go) end}],
    [{Name, fun() -> to_go(Tell) end} || {Name, Tell} <- Asks] ++ [{stack, fun() -> code_to_go(named(Code)) end}].

deep(0) -> answering([]);
deep(N) -> [deep(N - 1) | N].

answering(Kept) ->
    receive
        {ping, From, N} -> From ! {pong, N}, answering(Kept);
        {keep, T} -> answering([T | Kept]);
        stop -> Kept
    end.

to_go(Tell) ->
    persistent_term:put(to_go, {keep, [self()]}),
    P = spawn(fun() -> Heap = [{I} || I <- lists:seq(1, 6000000)], answering([]) =:= Heap end),
    Tell(P),
    {P, fun() -> persistent_term:erase(to_go) end}.

code_to_go({Module, Code}) ->
    P = spawn(fun() -> deep(4000000) end),
    [{module, Module} = erlang:load_module(Module, Code) || _ <- [1, 2]],
    {P, fun() -> erlang:check_process_code(P, Module, [{async, Module}]) end}.

asked(Holds, Code) ->
    {P, Ask} = Holds(),
    Ref = monitor(process, P),
    P ! {ping, self(), 0},
    receive {pong, 0} -> ok end,
    Ask(),
    Most = load_and_ping(Code, P, 1, 0, 0, erlang:monotonic_time(millisecond) + ?WHILE),
    P ! stop,
    receive {'DOWN', Ref, process, P, normal} -> ok end,
    last_answer(0), % what it answered since: nobody takes it for the next one's
    Most.

%% Until it has missed that many.
load_and_ping(_, _, _, _, Most, _) when Most >= ?ENOUGH -> Most;
load_and_ping(Code, P, N, Answered, Most, End) ->
    ok = erlang:finish_loading(prepared(1, Code)),
    P ! {ping, self(), N},
    Last = last_answer(Answered),
    case erlang:monotonic_time(millisecond) < End of
        true -> load_and_ping(Code, P, N + 1, Last, max(Most, N - Last), End);
        false -> Most
    end.

last_answer(N) -> receive {pong, Later} -> last_answer(Later) after 0 -> N end.

named(Code) ->
    N = case get(named) of undefined -> 1; Before -> Before + 1 end,
    put(named, N),
    Name = iolist_to_binary(io_lib:format("small_~7..0b", [N])),
    {binary_to_atom(Name), binary:replace(Code, <<"small_0000000">>, Name, [global])}.

small() ->
    {ok, _, Code} = compile:forms([{attribute, 1, module, small_0000000}, {attribute, 1, export, [{v, 0}]},
                                   {function, 1, v, 0, [{clause, 1, [], [], [{integer, 1, 1}]}]}, {eof, 1}], []),
    Code.
