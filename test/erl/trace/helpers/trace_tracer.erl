%% The tracer module of trace_modules and others: its library is the one that use/1 named.
-module(trace_tracer).
-export([enabled/3, trace/5, use/1]).
-export([enabled_call/3, enabled_garbage_collection/3, enabled_procs/3, enabled_receive/3, enabled_running_procs/3,
         enabled_send/3]).
-export([trace_call/5, trace_garbage_collection/5, trace_procs/5, trace_receive/5, trace_running_procs/5, trace_send/5]).
-on_load(on_load/0).

-define(NATIVE, erlang:nif_error(not_loaded)).

%% From now on code:load_file/1 of this module loads that library.
use(Library) -> os:putenv("TRACE_TRACER_LIBRARY", Library).

on_load() ->
    erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), os:getenv("TRACE_TRACER_LIBRARY", "trace_modules")), 0).

enabled(_, _, _) -> ?NATIVE.
trace(_, _, _, _, _) -> ?NATIVE.
enabled_call(_, _, _) -> ?NATIVE.
enabled_garbage_collection(_, _, _) -> ?NATIVE.
enabled_procs(_, _, _) -> ?NATIVE.
enabled_receive(_, _, _) -> ?NATIVE.
enabled_running_procs(_, _, _) -> ?NATIVE.
enabled_send(_, _, _) -> ?NATIVE.
trace_call(_, _, _, _, _) -> ?NATIVE.
trace_garbage_collection(_, _, _, _, _) -> ?NATIVE.
trace_procs(_, _, _, _, _) -> ?NATIVE.
trace_receive(_, _, _, _, _) -> ?NATIVE.
trace_running_procs(_, _, _, _, _) -> ?NATIVE.
trace_send(_, _, _, _, _) -> ?NATIVE.
