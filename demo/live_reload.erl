%% A small live service whose code is replaced while it works, and what its busiest processes notice of that.
%%
%% Two modules make a price: shop_price asks shop_tax. Customers call them all the time; each round of the replacing
%% process loads the next version of both in one list, and purges the one before. A price tells which version of each
%% module made it. A process may leave old code for new code at any call, but never the other way: a new shop_price
%% that met an old shop_tax would be a half-loaded list, and is counted. On every core a busy process does nothing but
%% look at the clock: its largest gap is what all this costs somebody who has nothing to do with it.
%%
%%   measure LABEL ROUNDS RESULT-FILE plain|live
%%   report RESULT-FILE ...
-module(live_reload).
-export([main/1]).

-define(BUCKETS, 20). % bucket N: gaps of 2^(N-1) to 2^N microseconds; 0: less than one
-define(CUSTOMERS, 4).
-define(BATCH, 200).  % prices between two pauses of a customer
-define(PAUSE, 10).   % milliseconds between two replacements

main(["measure", Label, Rounds, File, Mode]) ->
    Result = measure(Label, list_to_integer(Rounds), list_to_existing_atom(Mode)),
    ok = file:write_file(File, io_lib:format("~p.~n", [Result]));
main(["report" | Files]) ->
    Results = [begin {ok, [Result]} = file:consult(File), Result end || File <- Files],
    io:put_chars(report(Results)),
    case [Label || #{label := Label, mixed := Mixed} <- Results, Mixed > 0] of
        [] -> ok;
        Labels -> exit({half_loaded, Labels})
    end.

measure(Label, Rounds, Mode) ->
    io:format("~ts: compiling ~b versions of two modules~n", [Label, Rounds]),
    Versions = compiled_all(lists:seq(1, Rounds)),
    Cores = erlang:system_info(schedulers_online),
    [{_, First} | Rest] = Versions,
    load(First),
    Counts = counters:new(2, []), % prices, mixed prices
    Customers = [spawn_link(fun() -> customer(Counts, 1) end) || _ <- lists:seq(1, ?CUSTOMERS)],
    Watchers = [watch() || _ <- lists:seq(1, Cores)],
    Started = erlang:monotonic_time(),
    replace(Rest, Watchers, Counts, Mode),
    Taken = erlang:convert_time_unit(erlang:monotonic_time() - Started, native, millisecond),
    [begin unlink(Pid), exit(Pid, kill) end || Pid <- Customers ++ [Pid || {Pid, _} <- Watchers]],
    erase_line(Mode),
    #{label => Label, rounds => length(Rest), milliseconds => Taken, prices => counters:get(Counts, 1),
      mixed => counters:get(Counts, 2), watchers => [read(Gaps) || {_, Gaps} <- Watchers]}.

%% --- The service ---

compiled_all(Versions) ->
    Parent = self(),
    Pids = [spawn_link(fun() -> Parent ! {self(), {V, compiled(V)}} end) || V <- Versions],
    [receive {Pid, Result} -> Result end || Pid <- Pids].

compiled(Version) ->
    [begin
         {ok, Module, Binary} = compile:forms(forms(Text), []),
         {Module, Binary}
     end || Text <- [price(Version), tax(Version)]].

price(V) ->
    io_lib:format("-module(shop_price). -export([quote/1, filler/2]).\n"
                  "quote(N) -> {~b, shop_tax:add(N * ~b)}.\n~ts", [V, V, filler(V)]).

tax(V) ->
    io_lib:format("-module(shop_tax). -export([add/1, filler/2]).\n"
                  "add(Net) -> {~b, Net + Net div 5}.\n~ts", [V, filler(V)]).

%% A module of ordinary size, with literals.
filler(V) ->
    [[io_lib:format("filler(~b, X) -> {~b, X, [a, b, {c, ~b}], #{k => ~b, x => X}};\n", [I, V, V + I, I])
      || I <- lists:seq(1, 50)],
     "filler(_, _) -> none.\n"].

forms(Text) -> forms_of(lists:flatten(Text), 1).

forms_of(Text, Line) ->
    case erl_scan:tokens([], Text, Line) of
        {done, {ok, Tokens, Next}, Rest} ->
            {ok, Form} = erl_parse:parse_form(Tokens),
            [Form | forms_of(Rest, Next)];
        _ ->
            []
    end.

load(Modules) -> ok = code:atomic_load([{Module, "", Binary} || {Module, Binary} <- Modules]).

customer(Counts, N) when N > ?BATCH ->
    receive after 1 -> customer(Counts, 1) end;
customer(Counts, N) ->
    {Price, {Tax, _}} = shop_price:quote(N),
    counters:add(Counts, 1, 1),
    Price > Tax andalso counters:add(Counts, 2, 1),
    customer(Counts, N + 1).

replace([], _, _, _) -> ok;
replace([{Version, Modules} | Rest], Watchers, Counts, Mode) ->
    [code:purge(Module) || {Module, _} <- Modules],
    load(Modules),
    show(Mode, Version, Watchers, Counts),
    timer:sleep(?PAUSE),
    replace(Rest, Watchers, Counts, Mode).

%% --- Busy processes that watch the clock ---

%% Counters: buckets 0 to ?BUCKETS, then the largest gap in native units.
watch() ->
    Gaps = counters:new(?BUCKETS + 2, []),
    {spawn_link(fun() -> look(erlang:monotonic_time(), 0, 1, unit(), Gaps) end), Gaps}.

unit() -> erlang:convert_time_unit(1, microsecond, native).

look(Before, Largest, Turn, Unit, Gaps) ->
    Now = erlang:monotonic_time(),
    case Now - Before of
        Gap when Gap > Largest ->
            count(Gap, Unit, Gaps),
            counters:put(Gaps, ?BUCKETS + 2, Gap),
            look(Now, Gap, Turn, Unit, Gaps);
        Gap when Gap >= Unit ->
            count(Gap, Unit, Gaps),
            look(Now, Largest, Turn, Unit, Gaps);
        _ when Turn =:= 1000 -> % the short ones are counted a thousand at a time
            counters:add(Gaps, 1, 1000),
            look(Now, Largest, 1, Unit, Gaps);
        _ ->
            look(Now, Largest, Turn + 1, Unit, Gaps)
    end.

count(Gap, Unit, Gaps) -> counters:add(Gaps, bucket(Gap div Unit, 0) + 1, 1).

bucket(0, N) -> min(N, ?BUCKETS);
bucket(Microseconds, N) -> bucket(Microseconds bsr 1, N + 1).

read(Gaps) ->
    Largest = erlang:convert_time_unit(counters:get(Gaps, ?BUCKETS + 2), native, nanosecond) / 1000,
    #{largest => Largest, buckets => [counters:get(Gaps, N) || N <- lists:seq(1, ?BUCKETS + 1)]}.

%% --- What the terminal shows ---

show(plain, _, _, _) -> ok;
show(live, Version, Watchers, Counts) ->
    Largest = lists:max([maps:get(largest, read(Gaps)) || {_, Gaps} <- Watchers]),
    io:format("\r  version ~b, ~b prices, largest gap ~ts \e[K",
              [Version, counters:get(Counts, 1), duration(Largest)]).

erase_line(plain) -> ok;
erase_line(live) -> io:put_chars("\r\e[K").

report(Results) ->
    [io_lib:format("~n~-24ts", [""]), [io_lib:format("~32ts", [Label]) || #{label := Label} <- Results], "\n",
     row("replacements", [integer_to_list(N) || #{rounds := N} <- Results]),
     row("in", [io_lib:format("~b ms", [T]) || #{milliseconds := T} <- Results]),
     row("prices", [integer_to_list(N) || #{prices := N} <- Results]),
     row("half-loaded lists", [integer_to_list(N) || #{mixed := N} <- Results]),
     row("largest gap", [duration(maps:get(largest, busiest(Result))) || Result <- Results]),
     row("gaps above 1 ms", [integer_to_list(above(11, busiest(Result))) || Result <- Results]),
     "\ngaps of the busiest process\n",
     histogram([maps:get(buckets, busiest(Result)) || Result <- Results])].

row(Name, Values) -> [io_lib:format("~-24ts", [Name]), [io_lib:format("~32ts", [V]) || V <- Values], "\n"].

%% The busy process that met the largest gap.
busiest(#{watchers := Watchers}) ->
    {_, Watcher} = lists:max([{maps:get(largest, W), W} || W <- Watchers]),
    Watcher.

above(Bucket, #{buckets := Buckets}) -> lists:sum(lists:nthtail(Bucket, Buckets)).

histogram(Columns) ->
    Last = lists:max([N || Column <- Columns, {N, Count} <- lists:zip(lists:seq(0, ?BUCKETS), Column), Count > 0]),
    [[io_lib:format("  ~-22ts", [range(N)]),
      [io_lib:format(" ~12b ~-18ts", [Count, bar(Count)]) || Column <- Columns, Count <- [lists:nth(N + 1, Column)]],
      "\n"] || N <- lists:seq(0, Last)].

%% A block for each factor of four.
bar(0) -> "";
bar(Count) -> lists:duplicate(1 + trunc(math:log2(Count) / 2), $#).

range(0) -> "below 1 us";
range(N) -> [duration(math:pow(2, N - 1)), " to ", duration(math:pow(2, N))].

duration(Microseconds) when Microseconds < 1000 -> io_lib:format("~.1f us", [Microseconds * 1.0]);
duration(Microseconds) -> io_lib:format("~.2f ms", [Microseconds / 1000]).
