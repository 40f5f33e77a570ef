%% While one process works long in one call, others go on: one finishes loads, each of which waits for thread progress
%% after the one before. So that it finishes several while the call lasts says that the call neither holds up thread
%% progress nor keeps its scheduler.
-module(code_meanwhile).
-export([main/0, argument/1]).

-define(ENOUGH, 5).
-define(TRIES, 5). % another program may have taken the core

main() ->
    register(meter, self()),
    put(passed, 0),
    put(failed, 0),
    Code = small(),
    [check(Name, Work, Code, ?TRIES) || {Name, Work} <- works()],
    io:format("~b passed, ~b failed~n", [get(passed), get(failed)]).

check(Name, Work, Code, Tries) ->
    case measured(Work, Code) of
        Finished when Finished >= ?ENOUGH ->
            put(passed, get(passed) + 1);
        _ when Tries > 1 ->
            check(Name, Work, Code, Tries - 1);
        Finished ->
            put(failed, get(failed) + 1),
            io:format("FAILED: ~s: only ~b loads meanwhile~n", [Name, Finished])
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
     {send_to_itself, fun() -> A = big(), ready(), self() ! A, done(A) end},
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
     {persistent, fun() -> A = big(), ready(), persistent_term:put(big_term, A), done(A) end},
     {hash, fun() -> A = big(), ready(), erlang:phash2(A), done(A) end},
     {collect, fun() -> A = big(), ready(), garbage_collect(), done(A) end}].

big() -> [{I, [I]} || I <- lists:seq(1, 400000)].
argument(_) -> ok.
other() -> spawn(fun() -> receive nothing -> ok end end).
trapping() -> spawn(fun() -> process_flag(trap_exit, true), receive {'EXIT', _, _} -> ok end end).
ready() -> meter ! {ready, self()}, receive go -> ok end.
done(T) -> meter ! done, T. % whatever it worked on is alive until now

measured(Work, Code) ->
    Prepared = [erlang:prepare_loading(M, C) || _ <- lists:seq(1, ?ENOUGH + 1), {M, C} <- [named(Code)]],
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

named(Code) ->
    Name = iolist_to_binary(io_lib:format("small_~5..0b", [erlang:unique_integer([positive]) rem 100000])),
    {binary_to_atom(Name), binary:replace(Code, <<"small_00000">>, Name, [global])}.

small() ->
    {ok, _, Code} = compile:forms([{attribute, 1, module, small_00000}, {attribute, 1, export, [{v, 0}]},
                                   {function, 1, v, 0, [{clause, 1, [], [], [{integer, 1, 1}]}]}, {eof, 1}], []),
    Code.
