%% What is done thousands of times leaves no more memory behind than what was done before it: messages, ends, links,
%% monitors, timers, tables, binaries, failures, requests. Each line says whether there is more than before by as much
%% as one small block for each round.
-module(leaks).
-export([main/0]).

-define(ROUNDS, 2000).
-define(ALLOWED, 24 * ?ROUNDS). %% bytes

main() ->
    [io:format("~p ~s~n", [Name, case grows(F) of true -> "grows"; false -> "stays" end]) || {Name, F} <- rounds()].

%% The smallest growth of a few attempts: what other processes do meanwhile comes and goes.
grows(F) ->
    repeat(F, ?ROUNDS),
    lists:min([grown(F) || _ <- lists:seq(1, 3)]) > ?ALLOWED.

grown(F) ->
    Before = settled(),
    repeat(F, ?ROUNDS),
    settled() - Before.

%% Processes that have ended are freed a moment later, and literals when every process has been asked for them: the
%% least that is seen until it has not become less six times.
settled() -> settled(infinity, 6).

settled(Least, 0) -> Least;
settled(Least, Tries) ->
    [erlang:garbage_collect(P) || P <- processes()],
    timer:sleep(20),
    case erlang:memory(total) of
        Less when Less < Least -> settled(Less, 6);
        _ -> settled(Least, Tries - 1)
    end.

repeat(_, 0) -> ok;
repeat(F, N) -> F(N), repeat(F, N - 1).

rounds() ->
    [{messages, fun(N) -> self() ! {N, [N], <<N:1000>>}, receive {N, _, _} -> ok end end},
     {ends, fun(N) -> {_, M} = spawn_monitor(fun() -> put(N, N), exit({N, <<N:1000>>}) end), down(M) end},
     {messages_of_the_dead, fun messages_of_the_dead/1},
     {links, fun(_) -> {P, M} = mortal(), link(P), unlink(P), link(P), P ! stop, down(M) end},
     {monitors, fun monitors/1},
     {timers, fun timers/1},
     {names, fun(_) -> register(leaks_name, self()), unregister(leaks_name) end},
     {requests, fun(N) -> N rem 10 =:= 0 andalso requests() end},
     {tables, fun(N) -> N rem 4 =:= 0 andalso tables(N) end},
     {tables_of_the_dead, fun(N) -> N rem 4 =:= 0 andalso tables_of_the_dead(N) end},
     {binaries, fun(N) ->
         B = <<N:4000>>,
         <<_:80, R/binary>> = <<B/binary, B/binary>>,
         binary:copy(binary:part(R, 3, 100))
     end},
     {failures, fun(N) ->
         catch error({N, <<N:1000>>}),
         try binary_to_term(<<131, 104, N>>) catch error:badarg:S -> S end
     end},
     {external, fun(N) ->
         T = {N, self(), make_ref(), fun(X) -> X + N end, #{N => <<N:1000>>}},
         T =:= binary_to_term(term_to_binary(T))
     end},
     {other_nodes, fun(N) -> binary_to_term(<<131, 88, 119, 3, $x, $@, $y, N:32, 0:32, 7:32>>) end},
     {persistent, fun(N) -> persistent_term:put(?MODULE, {N rem 2, <<1:2000>>}) end},
     {expressions, fun(N) ->
         re:run(<<"abc", N:32>>, "(a)(b+)[^x]*", [{capture, all, binary}]),
         re:compile(integer_to_list(N rem 50))
     end},
     {compression, fun(N) -> N rem 8 =:= 0 andalso zlib:uncompress(zlib:compress(<<N:8000>>)) end},
     {unfinished_compression, fun(N) -> N rem 8 =:= 0 andalso unfinished(zlib:open(), <<N:800>>) end},
     {files, fun(_) ->
         {ok, F} = file:open("/dev/null", [raw, write]),
         file:write(F, <<"abc">>),
         file:close(F),
         file:read_file_info("/nowhere")
     end},
     {files_left_open, fun(N) -> N rem 8 =:= 0 andalso file:open("/dev/null", [raw, write]) end},
     {match_specs, fun(N) ->
         Spec = [{{'$1', '$2'}, [{'=:=', '$1', N}], [{{'$2', <<N:1000>>}}]}],
         ets:match_spec_run([{N, a}], ets:match_spec_compile(Spec))
     end},
     {atomics, fun(_) ->
         atomics:add(atomics:new(10, []), 1, 1),
         counters:add(counters:new(5, [write_concurrency]), 1, 1)
     end},
     {dictionary, fun(N) -> put({k, N}, <<N:1000>>), erase({k, N}) end},
     {trace_sessions, fun(N) -> trace_session(N) end}].

mortal() -> spawn_monitor(fun() -> receive stop -> ok end end).
down(M) -> receive {'DOWN', M, _, _, _} -> ok end.

messages_of_the_dead(N) ->
    {P, M} = mortal(),
    P ! {N, <<N:2000>>},
    erlang:send_after(1, P, {N, <<N:2000>>}),
    P ! stop,
    down(M).

monitors(_) ->
    {P, M} = mortal(),
    erlang:demonitor(monitor(process, P), [flush]),
    monitor(process, P, [{alias, reply_demonitor}]),
    unalias(alias()),
    P ! stop,
    down(M),
    receive {'DOWN', _, _, _, _} -> ok end.

%% Every other one is dropped with its handle.
trace_session(N) ->
    S = trace:session_create(leaks, self(), [{reload, keep} || N rem 3 =:= 0]),
    N rem 5 =:= 0 andalso trace:process(S, all, true, [procs, send]),
    trace:process(S, new, true, [call]),
    N rem 7 =:= 0 andalso trace:process(S, whereis(init), true, [send]),
    N rem 10 =:= 0 andalso trace:function(S, {lists, '_', '_'}, [{'_', [], [{message, {{x, N}}}]}], [local]),
    N rem 9 =:= 0 andalso trace:function(S, on_load, [{'_', [], [{message, {{x, N}}}]}], [meta]),
    N rem 11 =:= 0 andalso trace:send(S, [{['_', {x, <<N:1000>>}], [], []}], []),
    N rem 2 =:= 0 andalso trace:session_destroy(S),
    flush().

flush() -> receive _ -> flush() after 0 -> ok end.

timers(N) ->
    erlang:cancel_timer(erlang:start_timer(100000 + N, self(), {N, <<N:1000>>})),
    T = erlang:start_timer(0, self(), <<N:1000>>),
    receive {timeout, T, _} -> ok end,
    receive never -> ok after 0 -> ok end.

requests() ->
    {P, M} = mortal(),
    process_info(P, [messages, dictionary]),
    erlang:garbage_collect(P),
    erlang:suspend_process(P),
    erlang:resume_process(P),
    erlang:suspend_process(P),
    exit(P, kill),
    down(M).

tables(N) ->
    Type = lists:nth(1 + N rem 3, [set, ordered_set, bag]),
    T = ets:new(leaks, [named_table, Type, {heir, self(), <<N:1000>>}]),
    ets:insert(T, [{K, <<K:1000>>} || K <- lists:seq(1, 20)]),
    ets:safe_fixtable(T, true),
    ets:delete(T, 3),
    ets:select(T, [{{'$1', '_'}, [{'>', '$1', 5}], ['$_']}], 3),
    ets:insert(T, {3, <<1:900>>}),
    ets:safe_fixtable(T, false),
    ets:delete(T).

tables_of_the_dead(N) ->
    {_, M} = spawn_monitor(fun() ->
        T = ets:new(t, []),
        ets:insert(T, {1, <<N:1000>>}),
        ets:safe_fixtable(T, true),
        ets:delete(T, 1)
    end),
    down(M).

unfinished(Z, Bytes) ->
    zlib:deflateInit(Z),
    zlib:deflate(Z, Bytes).
