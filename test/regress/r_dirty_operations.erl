%% What test suites have dirty threads do: erts_debug:dirty_cpu/2, dirty_io/2 and dirty/3 were missing. However a
%% failure came about, in another call or on another thread, it is that of the call that was made.
-module(r_dirty_operations).
-export([main/0]).

main() ->
    Places = [[dirty_cpu], [dirty_io], [dirty, normal], [dirty, dirty_cpu], [dirty, dirty_io], [dirty, nowhere]],
    [io:format("~p~n", [{Place, Operation, Argument, called(Place, Operation, Argument)}])
     || Place <- Places, {Operation, Argument} <- operations()],
    1000 = length(erts_debug:dirty_cpu(copy, {a, "b"})),
    [{a, "b"}] = lists:usort(erts_debug:dirty_io(copy, {a, "b"})),
    ended_in_a_call().

operations() ->
    [{scheduler, type}, {scheduler, x}, {nothing, 1}, {1, 2}, {wait, 1}, {wait, -1}, {wait, a}, {wait, 1 bsl 70}] ++
        [{reschedule, N} || N <- [10, 11, 0, -1, a]] ++
        [{error, What} || What <- [badarg, undef, noproc, notsup, system_limit, badarith, normal, {x, "y"}, 17]].

called([Function | Where], Operation, Argument) ->
    try apply(erts_debug, Function, Where ++ [Operation, Argument])
    catch Class:Reason:Stack -> {Class, Reason, hd(Stack)}
    end.

%% What the call refers to is kept until it is over.
ended_in_a_call() ->
    Self = self(),
    Binary = binary:copy(<<"r">>, 4711),
    {Pid, Monitor} = spawn_monitor(fun() -> erts_debug:dirty_io(alive_waitexiting, Self), exit(Binary) end),
    receive {alive, Pid} -> ok end,
    io:format("~p~n", [references()]),
    exit(Pid, stop),
    receive {'DOWN', Monitor, process, Pid, Reason} -> io:format("~p~n", [{Reason, references()}]) end,
    until_one_refers(),
    io:format("~p~n", [byte_size(Binary)]).

references() ->
    {binary, Binaries} = process_info(self(), binary),
    [Count || {_, 4711, Count} <- Binaries].

until_one_refers() ->
    case references() of
        [1] -> ok;
        _ -> timer:sleep(10), until_one_refers()
    end.
