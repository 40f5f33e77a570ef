%% Everything that 100,000 processes do is traced: all calls of all functions, messages, slices, collections. The
%% tracer does not keep up (it takes a hundred events in five milliseconds). What the service still does, and what
%% waits for the tracer; a round is a request to each process, and its answer. In each turn three rounds go untraced,
%% then four are traced (an untraced one takes a third more or less from one minute to the next): the first of these,
%% in which what a limit lets through at once is told too, stands apart. Beside other work the processor time of a
%% round tells more than how long it took.
%%
%%   erl -noshell -eval 'trace_everything:main(stock).'
%%   viv run trace_everything
%%
%% Where a trace session takes a limit (viv) it has one: 20,000 events a second, 20 MB, 100 words of each term. Ends
%% after twenty turns, or when the runtime holds 4 GB.
-module(trace_everything).
-export([main/0, main/1]).
-define(PROCESSES, 100000).
-define(TURNS, 20).
-define(MOST, 4000000000).

main() -> main(viv).

main(Kind) ->
    Pids = [spawn(fun serve/0) || _ <- lists:seq(1, ?PROCESSES)],
    [round_of(Pids) || _ <- lists:seq(1, 5)],
    Tracer = spawn(fun() -> take(100) end),
    Turns = turns(1, Kind, Pids, Tracer),
    io:format("of untraced: ~s; by processor time ~s; first rounds ~s~n",
              [spread([Took || {{Took, _}, _, _} <- Turns]), spread([Used || {{_, Used}, _, _} <- Turns]),
               spread([Used || {_, {_, Used}, _} <- Turns])]),
    Ends = [End || {_, _, End} <- Turns],
    io:format("the end takes ~w us, at most ~w~n", [median(Ends), lists:max(Ends)]),
    halt().

turns(N, _, _, _) when N > ?TURNS -> [];
turns(N, Kind, Pids, Tracer) ->
    Untraced = rounds(3, Pids),
    Session = begin_tracing(Kind, Tracer),
    First = ratio(Untraced, rounds(1, Pids)),
    {Took, Used} = Ratio = ratio(Untraced, rounds(3, Pids)),
    Begin = erlang:monotonic_time(microsecond),
    end_tracing(Session),
    End = erlang:monotonic_time(microsecond) - Begin,
    {message_queue_len, Waiting} = process_info(Tracer, message_queue_len),
    io:format("turn ~w: untraced ~w us, ~w ms of processor time; traced ~.2f of that, by processor time ~.2f; "
              "~w events wait, ~w MB~n",
              [N, element(1, Untraced), element(2, Untraced), Took, Used, Waiting, megabytes()]),
    case megabytes() * 1000000 < ?MOST of
        true -> [{Ratio, First, End} | turns(N + 1, Kind, Pids, Tracer)];
        false ->
            io:format("too much memory~n"),
            [{Ratio, First, End}]
    end.

rounds(N, Pids) ->
    {Took, Used} = lists:unzip([round_of(Pids) || _ <- lists:seq(1, N)]),
    {median(Took), median(Used)}.

ratio({Took, Used}, {TookTraced, UsedTraced}) -> {Took / TookTraced, Used / max(1, UsedTraced)}.

flags() -> [call, send, 'receive', procs, running, garbage_collection, timestamp].

begin_tracing(stock, Tracer) ->
    erlang:trace_pattern({'_', '_', '_'}, true, [local]),
    erlang:trace(all, true, [{tracer, Tracer} | flags()]),
    stock;
begin_tracing(viv, Tracer) ->
    Session = trace:session_create(everything, Tracer, [{limit, #{events => 20000, bytes => 20000000, size => 100}}]),
    trace:function(Session, {'_', '_', '_'}, true, [local]),
    trace:process(Session, all, true, flags()),
    Session.

end_tracing(stock) ->
    erlang:trace(all, false, [all]),
    erlang:trace_pattern({'_', '_', '_'}, false, [local]);
end_tracing(Session) ->
    trace:session_destroy(Session).

spread(Ratios) -> io_lib:format("~.2f (~.2f .. ~.2f)", [median(Ratios), lists:min(Ratios), lists:max(Ratios)]).

median(Values) -> lists:nth((length(Values) + 1) div 2, lists:sort(Values)).

megabytes() -> erlang:memory(total) div 1000000.

serve() -> receive {From, N} -> From ! work(N), serve() end.
work(N) -> N + 1.

%% {Microseconds, milliseconds of processor time}
round_of(Pids) ->
    Begin = erlang:monotonic_time(microsecond),
    {Before, _} = statistics(runtime),
    [Pid ! {self(), 1} || Pid <- Pids],
    [receive 2 -> ok end || _ <- Pids],
    {After, _} = statistics(runtime),
    {erlang:monotonic_time(microsecond) - Begin, After - Before}.

take(0) -> timer:sleep(5), take(100);
take(N) -> receive _ -> take(N - 1) end.
