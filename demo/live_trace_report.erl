%% What live_trace found out, as text: for each runtime the phases, some events, what the calls took; the gaps of the
%% busiest process side by side; and in plain words what it comes to.
-module(live_trace_report).
-export([text/1]).

text(Results) ->
    [[runtime(Result) || Result <- Results], gaps(Results), "\n", [summary(Result) || Result <- Results]].

%% --- One runtime ---

runtime(#{label := Label, phases := Phases, samples := Samples, counts := Counts, times := Times}) ->
    ["\n", Label, "\n",
     [phase(Phase) || Phase <- Phases],
     "  some of the events\n",
     [sample(Sample) || Sample <- Samples],
     io_lib:format("  ~-22ts~9ts   how long they took\n", ["function", "calls"]),
     [function(Function, maps:get(Function, Counts), Times) || Function <- lists:sort(maps:keys(Counts))]].

phase(#{name := Name, milliseconds := Time, served := Served, events := Events, result := Times} = Phase) ->
    io_lib:format("  ~-10ts~6.1f s ~8b requests a second ~8b events a second~ts, largest gap ~ts\n",
                  [Name, Time / 1000, Served * 1000 div Time, Events * 1000 div Time,
                   [io_lib:format(", ~b replacements", [Times]) || Name =:= replacing],
                   duration(maps:get(largest, Phase))]).

sample({mark, When}) -> ["  ", When, "\n"];
sample({_, Text}) -> ["    ", string:slice(Text, 0, 112), "\n"].

function({M, F, A} = Function, Count, Times) ->
    Buckets = lists:sort([{Bucket, N} || {{Of, Bucket}, N} <- Times, Of =:= Function]),
    io_lib:format("  ~-22ts~9b   half below ~ts, 99% below ~ts, 99.9% below ~ts\n",
                  [io_lib:format("~ts:~ts/~b", [M, F, A]), Count |
                   [duration(quantile(Buckets, Part) / 1000) || Part <- [0.5, 0.99, 0.999]]]).

%% The upper bound of the bucket, in nanoseconds.
quantile(Buckets, Part) ->
    quantile(Buckets, Part * lists:sum([N || {_, N} <- Buckets]), 0).

quantile([{Bucket, _}], _, _) -> 1 bsl Bucket;
quantile([{Bucket, N} | _], Wanted, Sum) when Sum + N >= Wanted -> 1 bsl Bucket;
quantile([{_, N} | Rest], Wanted, Sum) -> quantile(Rest, Wanted, Sum + N).

%% --- Side by side ---

gaps(Results) ->
    Columns = [Phase || #{phases := Phases} <- Results, Phase <- Phases],
    Shown = [Bucket || Bucket <- lists:seq(0, length(maps:get(gaps, hd(Columns))) - 1),
                       lists:any(fun(#{gaps := Gaps}) -> lists:nth(Bucket + 1, Gaps) > 0 end, Columns)],
    ["\nHow long a busy process was kept from running: of each millisecond the longest gap, without the time that the\n"
     "operating system gave to other programs (a # for each factor of four)\n",
     line([io_lib:format("~-20ts", [""]) | [io_lib:format("~-17ts", [Text])
                                            || #{label := Label, phases := [_ | Others]} <- Results,
                                               Text <- [Label | ["" || _ <- Others]]]]),
     line([io_lib:format("~-20ts", [""]) | [io_lib:format("~-17ts", [Name]) || #{name := Name} <- Columns]]),
     [line([io_lib:format("~-20ts", [range(Bucket)]) |
            [cell(lists:nth(Bucket + 1, Gaps)) || #{gaps := Gaps} <- Columns]])
      || Bucket <- lists:seq(lists:min(Shown), lists:max(Shown))]].

line(Parts) -> [string:trim(Parts, trailing), "\n"].

cell(Count) -> io_lib:format("~6b ~-10ts", [Count, bar(Count)]).

bar(0) -> "";
bar(Count) -> lists:duplicate(1 + trunc(math:log2(Count) / 2), $#).

range(0) -> "below 1 us";
range(N) -> [duration(1 bsl (N - 1)), " to ", duration(1 bsl N)].

duration(Microseconds) when Microseconds < 1000 -> io_lib:format("~.1f us", [Microseconds * 1.0]);
duration(Microseconds) -> io_lib:format("~.1f ms", [Microseconds / 1000]).

%% --- In plain words ---

summary(#{label := Label, phases := [Untraced, Traced, Replaced], counts := Counts, restarts := Restarts,
          wrong := Wrong}) ->
    #{largest := Before} = Untraced,
    #{largest := While} = Traced,
    #{largest := Then, result := Times} = Replaced,
    Requests = maps:get({shop_price, quote, 2}, Counts, 0),
    [io_lib:format("~ts: ~b requests were traced, ~b code replacements and ~b restarts of workers among them; ",
                   [Label, Requests, Times, Restarts]),
     case Wrong of
         [] -> "every call and its\nend was told, each once. ";
         _ -> ["THE EVENTS ARE WRONG:\n", [["  ", string:slice(Text, 0, 112), "\n"] || Text <- Wrong]]
     end,
     io_lib:format("The busiest process was held up for ~ts at most, ~ts when traced, ~ts when\nthe traced code was "
                   "replaced.\n", [duration(Before), duration(While), duration(Then)])].
