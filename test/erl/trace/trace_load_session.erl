%% All of trace_load in a session of the module trace, which must tell the same.
-module(trace_load_session).
-define(TRACE, trace_in_session).
-include("trace_load.erl").
