%% How many calls does a program make? See count_tracer.c for how to build its library.
-module(count_tracer).
-export([main/0, enabled/3, trace/5, count/0]).
-on_load(on_load/0).

main() ->
    Matched = erlang:trace_pattern({lists, '_', '_'}, true, [local]),
    1 = erlang:trace(self(), true, [call, {tracer, ?MODULE, no_state}]),
    lists:usort([N * 7919 rem 1000 || N <- lists:seq(1, 10000)]),
    erlang:trace(self(), false, [all]),
    io:format("~b calls of ~b traced functions~n", [count(), Matched]).

on_load() -> erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES", "."), "count_tracer"), 0).

enabled(_Tag, _State, _Tracee) -> erlang:nif_error(not_loaded).
trace(_Tag, _State, _Tracee, _Term, _Options) -> erlang:nif_error(not_loaded).
count() -> erlang:nif_error(not_loaded).
