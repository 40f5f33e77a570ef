%% Everything that 100,000 processes do is traced: all calls of all functions, messages, slices, collections. The tracer
%% does not keep up (it takes a hundred events in five milliseconds). What the service still does, and what waits for
%% the tracer, round by round; a round is a request to each process, and its answer. Beside other work the processor
%% time of a round tells more than how long it took.
%%
%%   erl -noshell -eval 'trace_everything:main(stock).'
%%   viv run trace_everything
%%
%% Where a trace session takes a limit (viv) it has one: 20,000 events a second, 20 MB, 100 words of each term. Ends
%% after twenty rounds, or when the runtime holds 4 GB.
-module(trace_everything).
-export([main/0, main/1]).
-define(PROCESSES, 100000).
-define(ROUNDS, 20).
-define(MOST, 4000000000).

main() -> main(viv).

main(Kind) ->
    Pids = [spawn(fun serve/0) || _ <- lists:seq(1, ?PROCESSES)],
    round_of(Pids),
    Rounds = [round_of(Pids) || _ <- lists:seq(1, 9)],
    Untraced = {median([Took || {Took, _} <- Rounds]), median([Used || {_, Used} <- Rounds])},
    io:format("untraced: ~w ms a round, ~w ms of processor time, ~w MB~n",
              [element(1, Untraced) div 1000, element(2, Untraced), megabytes()]),
    Tracer = spawn(fun() -> take(100) end),
    Session = begin_tracing(Kind, Tracer),
    rounds(1, Pids, Untraced, Tracer, []),
    Begin = erlang:monotonic_time(microsecond),
    end_tracing(Session),
    io:format("the end takes ~w us~n", [erlang:monotonic_time(microsecond) - Begin]),
    halt().

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

rounds(N, _, _, _, Ratios) when N > ?ROUNDS ->
    {Took, Used} = lists:unzip(Ratios),
    io:format("median: ~.2f of untraced, by processor time ~.2f~n", [median(Took), median(Used)]);
rounds(N, Pids, Untraced, Tracer, Ratios) ->
    {Took, Used} = round_of(Pids),
    {message_queue_len, Waiting} = process_info(Tracer, message_queue_len),
    Ratio = {element(1, Untraced) / Took, element(2, Untraced) / max(1, Used)},
    io:format("round ~w: ~w ms, ~.2f of untraced, by processor time ~.2f; ~w events wait, ~w MB~n",
              [N, Took div 1000, element(1, Ratio), element(2, Ratio), Waiting, megabytes()]),
    case megabytes() * 1000000 < ?MOST of
        true -> rounds(N + 1, Pids, Untraced, Tracer, [Ratio | Ratios]);
        false -> io:format("too much memory~n")
    end.

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
