%% The tracer of trace_modules_soak.
-module(trace_soak_tracer).
-export([enabled/3, trace/5, counts/0]).
-on_load(on_load/0).

on_load() -> erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), "trace_modules_soak"), 0).

enabled(_, _, _) -> erlang:nif_error(not_loaded).
trace(_, _, _, _, _) -> erlang:nif_error(not_loaded).
counts() -> erlang:nif_error(not_loaded).
