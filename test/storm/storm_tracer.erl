%% A tracer module: its state says what it answers.
-module(storm_tracer).
-export([start/0, enabled/3, trace/5]).
-nifs([enabled/3, trace/5]).

start() -> erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0).

enabled(_, _, _) -> erlang:nif_error(not_loaded).
trace(_, _, _, _, _) -> erlang:nif_error(not_loaded).
