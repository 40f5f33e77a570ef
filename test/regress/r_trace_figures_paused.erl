%% `pause` where figures are not kept yet: where the function is traced at all, they begin, and are not paused until that
%% is asked for once more.
-module(r_trace_figures_paused).
-export([main/0, f/1]).

f(X) -> X.

main() ->
    [io:format("~0p ~0p ~0p: ~0p~n", [Before, Verb, Kinds, figures(Before, Verb, Kinds)])
     || Before <- [[], [{true, [call_count]}], [{true, [call_count]}, {pause, [call_count]}], [{true, [call_time]}],
                   [{true, [call_time]}, {pause, [call_time]}], [{true, [local]}], [{true, [meta]}]],
        Verb <- [pause, restart],
        Kinds <- [[call_count], [call_count, local], [call_time], [call_time, local], [call_count, call_time],
                  [call_count, meta], [call_count, call_time, local]]].

%% After one call before the change, two after it, and one after it has been made again.
figures(Before, Verb, Kinds) ->
    Sink = spawn(fun sink/0),
    erlang:trace(self(), true, [call, {tracer, Sink}]),
    [erlang:trace_pattern({?MODULE, f, 1}, V, [with(K, Sink) || K <- Ks]) || {V, Ks} <- Before],
    ?MODULE:f(1),
    erlang:trace_pattern({?MODULE, f, 1}, Verb, [with(K, Sink) || K <- Kinds]),
    ?MODULE:f(1), ?MODULE:f(2),
    Once = kept(),
    erlang:trace_pattern({?MODULE, f, 1}, Verb, [with(K, Sink) || K <- Kinds]),
    ?MODULE:f(1),
    Twice = kept(),
    erlang:trace(self(), false, [all]),
    erlang:trace_pattern({?MODULE, f, 1}, false, [local, meta, call_count, call_time]),
    exit(Sink, kill),
    {Once, Twice}.

with(meta, Sink) -> {meta, Sink};
with(Kind, _) -> Kind.

kept() ->
    Count = element(2, erlang:trace_info({?MODULE, f, 1}, call_count)),
    Time = case erlang:trace_info({?MODULE, f, 1}, call_time) of
        {call_time, L} when is_list(L) -> [N || {_, N, _, _} <- L];
        {call_time, No} -> No
    end,
    {Count, Time, element(2, erlang:trace_info({?MODULE, f, 1}, traced))}.

sink() -> receive _ -> sink() end.
