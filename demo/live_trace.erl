%% A live service (shop.erl) under load on all cores, in three phases: untraced, traced, and traced while the modules
%% that are traced are replaced. On every core a busy process watches the clock meanwhile (gaps.erl of bench/).
%%
%% What is traced: the calls of three functions, with their returns and exceptions and when they happened; workers that
%% are started anew are traced as well. The service is not stopped for any of it. In the end every worker's requests are
%% compared with what the tracer got: from the first request of which it heard to the worker's last, all must be there,
%% each once, and each call must have its return or its exception.
%%
%%   measure LABEL SECONDS REPLACEMENTS RESULT-FILE plain|live
%%   report RESULT-FILE ...     ends with status 1 when an event is missing
-module(live_trace).
-export([main/1]).
-export([collect/1]).

-define(VERSIONS, 20).
-define(PAUSE, 5).        % milliseconds between two replacements
-define(SAMPLES, 2).      % events that are shown, of each kind
-define(SAMPLE_AGAIN, 10). % after so many replacements
-define(BUCKETS, 20).     % of times: bucket N counts those of 2^(N-1) to 2^N units

main(["measure", Label, Seconds, Replacements, File, Mode]) ->
    Result = measure(Label, 1000 * list_to_integer(Seconds), list_to_integer(Replacements), list_to_atom(Mode)),
    ok = file:write_file(File, io_lib:format("~p.~n", [Result]));
main(["report" | Files]) ->
    Results = [begin {ok, [Result]} = file:consult(File), Result end || File <- Files],
    io:put_chars(live_trace_report:text(Results)),
    case [Label || #{label := Label, wrong := Wrong} <- Results, Wrong =/= []] of
        [] -> ok;
        _ -> halt(1)
    end.

measure(Label, Time, Replacements, Mode) ->
    Versions = [versions(V) || V <- lists:seq(1, ?VERSIONS)],
    load(hd(Versions)),
    Cores = erlang:system_info(schedulers_online),
    Shop = shop:start(2 * Cores),
    Events = counters:new(1, []),
    Show = fun(Phase, Text) -> show(Mode, Label, Phase, Text, Shop, Events) end,
    Untraced = phase(untraced, Cores, Shop, Events, fun() -> wait(Time, fun() -> Show("untraced", "") end) end),
    Tracer = spawn_link(?MODULE, collect, [Events]),
    Session = trace_on(Tracer, Shop),
    Traced = phase(traced, Cores, Shop, Events, fun() -> wait(Time, fun() -> Show("traced", "") end) end),
    Replaced = phase(replacing, Cores, Shop, Events,
                     fun() -> replace(Replacements, 3 * Time, Versions,
                                      fun(?SAMPLE_AGAIN) -> Tracer ! {sample, "after ten replacements"};
                                         (N) -> Show("replacing", ["replacement ", integer_to_list(N)])
                                      end) end),
    {Workers, Gone} = shop:stop(Shop),
    Report = trace_off(Session, Tracer),
    erase_line(Mode),
    maps:merge(maps:without([seen, open], Report),
               #{label => Label, phases => [Untraced, Traced, Replaced], served => shop:served(Shop),
                 restarts => length(Gone), wrong => wrong(Workers, Gone, Report)}).

%% --- Phases ---

phase(Name, Cores, Shop, Events, Fun) ->
    Served = shop:served(Shop),
    Before = counters:get(Events, 1),
    #{result := Result, microseconds := Time, gaps := Gaps} = gaps:watched(Cores, Fun),
    #{name => Name, result => Result, milliseconds => Time div 1000, served => shop:served(Shop) - Served,
      events => counters:get(Events, 1) - Before, largest => lists:last(Gaps) / 1000,
      gaps => buckets([Gap div 1000 || Gap <- Gaps])}.

wait(Time, Show) when Time > 0 ->
    Show(),
    timer:sleep(min(Time, 200)),
    wait(Time - 200, Show);
wait(_, _) -> 0.

%% How often it was done: as often as wanted, or as there was time for.
replace(Count, Time, Versions, Show) ->
    replace(0, Count, erlang:monotonic_time(millisecond) + Time, tl(Versions) ++ [hd(Versions)], Show).

replace(N, Count, Until, [Version | Rest], Show) ->
    case N =:= Count orelse erlang:monotonic_time(millisecond) > Until of
        true -> N;
        false ->
            [soft_purge(Module) || {Module, _} <- Version],
            load(Version),
            Show(N + 1),
            timer:sleep(?PAUSE),
            replace(N + 1, Count, Until, Rest ++ [Version], Show)
    end.

%% A worker that is still in the old code is waited for.
soft_purge(Module) ->
    case code:soft_purge(Module) of
        true -> ok;
        false -> soft_purge(Module)
    end.

versions(Version) ->
    [begin
         {ok, Module, Binary} = compile:file(File, [binary, {d, 'VERSION', Version}]),
         {Module, Binary}
     end || File <- ["shop_price", "shop_tax"]].

load(Modules) -> ok = code:atomic_load([{Module, "", Binary} || {Module, Binary} <- Modules]).

buckets(Values) ->
    Counts = lists:foldl(fun(Value, Map) -> maps:update_with(bucket(Value, 0), fun(N) -> N + 1 end, 1, Map) end, #{},
                         Values),
    [maps:get(Bucket, Counts, 0) || Bucket <- lists:seq(0, ?BUCKETS)].

bucket(0, N) -> min(N, ?BUCKETS);
bucket(Value, N) -> bucket(Value bsr 1, N + 1).

%% --- Tracing ---

functions() -> [{shop_price, quote, 2}, {shop_tax, add, 1}, {shop_store, put, 2}].

%% Patterns first, then the keeper, whose new workers are traced from their start, then the workers that there are.
trace_on(Tracer, {Keeper, _} = Shop) ->
    Session = session(Tracer),
    [pattern(Session, Function, [{'_', [], [{exception_trace}]}]) || Function <- functions()],
    [trace_process(Session, Pid, Tracer) || Pid <- [Keeper | shop:workers(Shop)]],
    Session.

%% A session, whose patterns stay on code that is replaced. Where there is none (stock before OTP 27, or without that
%% option) all code that is loaded is traced instead.
session(Tracer) ->
    try trace:session_create(live, Tracer, [{reload, keep}])
    catch error:_ ->
        erlang:trace_pattern(on_load, [{'_', [], [{exception_trace}]}], [local]),
        none
    end.

pattern(none, Function, Spec) -> 1 = erlang:trace_pattern(Function, Spec, [local]);
pattern(Session, Function, Spec) -> 1 = trace:function(Session, Function, Spec, [local]).

%% One that has ended meanwhile needs no trace.
trace_process(Session, Pid, Tracer) ->
    Flags = [call, set_on_spawn, monotonic_timestamp],
    try
        case Session of
            none -> erlang:trace(Pid, true, [{tracer, Tracer} | Flags]);
            _ -> trace:process(Session, Pid, true, Flags)
        end
    catch error:badarg -> 0
    end.

trace_off(Session, Tracer) ->
    Ref = erlang:trace_delivered(all),
    receive {trace_delivered, all, Ref} -> ok end,
    session_end(Session),
    Tracer ! {report, self()},
    receive {Tracer, Report} -> Report end.

session_end(none) ->
    erlang:trace_pattern(on_load, false, [local]),
    [pattern(none, Function, false) || Function <- functions()];
session_end(Session) -> true = trace:session_destroy(Session).

%% --- The tracer ---

%% open: of each process the calls that have not returned. seen: of each process the first request and how many.
collect(Events) ->
    process_flag(message_queue_data, off_heap),
    collect(Events, #{open => #{}, seen => #{}, counts => #{}, ends => 0, times => #{}, samples => []}).

collect(Events, State) ->
    receive
        {trace_ts, Pid, call, {M, F, Args}, Time} = Event ->
            counters:add(Events, 1, 1),
            collect(Events, sample(Event, called(Pid, {M, F, length(Args)}, Args, Time, State)));
        {trace_ts, Pid, _, Function, _, Time} = Event ->
            counters:add(Events, 1, 1),
            collect(Events, sample(Event, ended(Pid, Function, Time, State)));
        {sample, When} ->
            collect(Events, State#{samples := [{mark, When} | maps:get(samples, State)]});
        {report, From} ->
            #{open := Open, times := Times, samples := Samples} = State,
            From ! {self(), State#{open := lists:append(maps:values(Open)), times := maps:to_list(Times),
                                   samples := lists:reverse(Samples)}}
    end.

called(Pid, Function, Args, Time, #{open := Open, seen := Seen, counts := Counts} = State) ->
    State#{open := Open#{Pid => [{Function, Time} | maps:get(Pid, Open, [])]},
           seen := see(Pid, Function, Args, Seen),
           counts := Counts#{Function => maps:get(Function, Counts, 0) + 1}}.

%% Requests must come one after the other.
see(Pid, {shop_price, quote, 2}, [Id, _], Seen) ->
    case Seen of
        #{Pid := {First, Id}} -> Seen#{Pid := {First, Id + 1}};
        #{Pid := {First, Next}} -> Seen#{Pid := {First, {wanted, Next, got, Id}}};
        #{} -> Seen#{Pid => {Id, Id + 1}}
    end;
see(_, _, _, Seen) -> Seen.

%% Which process ended it does not matter for the times; that it is the last one that was called does.
ended(Pid, Function, Time, #{open := Open, ends := Ends, times := Times} = State) ->
    case Open of
        #{Pid := [{Function, Start} | Outer]} ->
            Bucket = bucket(erlang:convert_time_unit(Time - Start, native, nanosecond), 0),
            State#{open := Open#{Pid := Outer}, ends := Ends + 1,
                   times := Times#{{Function, Bucket} => maps:get({Function, Bucket}, Times, 0) + 1}};
        #{} -> State#{open := Open#{Pid => [{no_call_of, Function}]}}
    end.

%% A few of each kind as text, without the time stamp.
sample(Event, #{samples := Samples} = State) ->
    Kind = element(3, Event),
    Marked = lists:takewhile(fun({K, _}) -> K =/= mark end, Samples),
    case length([x || {K, _} <- Marked, K =:= Kind]) < ?SAMPLES of
        true ->
            Plain = setelement(1, erlang:delete_element(tuple_size(Event), Event), trace),
            State#{samples := [{Kind, lists:flatten(io_lib:format("~w", [Plain]))} | Samples]};
        false -> State
    end.

%% --- Is everything there? ---

%% What is wrong, a text for each. Workers that had gone before the trace began were not seen.
wrong(Workers, Gone, #{open := Open, seen := Seen, ends := Ends, counts := Counts}) ->
    Calls = lists:sum(maps:values(Counts)),
    Quotes = maps:get({shop_price, quote, 2}, Counts, 0),
    Requests = lists:sum([Next - First || {First, Next} <- maps:values(Seen), is_integer(Next)]),
    Wrong =
        [nothing_was_traced || Calls =:= 0] ++
        [{still_open, Open} || Open =/= []] ++
        [{calls, Calls, ends, Ends} || Calls =/= Ends] ++
        [{quotes, Quotes, requests, Requests} || Quotes =/= Requests] ++
        [{Pid, untraced_until, Last} || {Pid, Last} <- Workers, Last =/= 0, not is_map_key(Pid, Seen)] ++
        [{Pid, last, Last, seen, Was} || {Pid, Last} <- Workers ++ Gone,
                                         {ok, {_, Next} = Was} <- [maps:find(Pid, Seen)],
                                         not is_integer(Last) orelse Next =/= Last + 1] ++
        [{Pid, unknown} || Pid <- maps:keys(Seen), not lists:keymember(Pid, 1, Workers ++ Gone)],
    [lists:flatten(io_lib:format("~w", [W])) || W <- Wrong].

%% --- While it runs ---

show(plain, _, _, _, _, _) -> ok;
show(live, Label, Phase, Text, Shop, Events) ->
    io:format("\r  ~ts, ~ts: ~b requests, ~b events ~ts\e[K",
              [Label, Phase, shop:served(Shop), counters:get(Events, 1), Text]).

erase_line(plain) -> ok;
erase_line(live) -> io:put_chars("\r\e[K").
