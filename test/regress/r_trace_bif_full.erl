%% A function without a frame ends in a traced built-in function while the heap is full up to the stack: the call needs
%% a word for where it returns to.
-module(r_trace_bif_full).
-export([main/0, light/1, dirty/1]).

main() ->
    logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    [io:format("~p ~p~n", [Traced, called(Traced)]) || Traced <- [false, true, false]].

called(Traced) ->
    [erlang:trace_pattern(MFA, Traced, []) || MFA <- [{erlang, phash2, 1}, {erts_debug, dirty_cpu, 2}]],
    {light_when_full(), dirty_when_full()}.

light_when_full() ->
    erts_debug:set_internal_state(fill_heap, true),
    R = light([a, b]),
    {R =:= erlang:phash2([a, b])}.

dirty_when_full() ->
    erts_debug:set_internal_state(fill_heap, true),
    R = dirty(scheduler),
    {R}.

light(Term) -> erlang:phash2(Term).
dirty(What) -> erts_debug:dirty_cpu(What, type).
