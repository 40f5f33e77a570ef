%% All of trace_calls in a session of the module trace, which must tell the same.
-module(trace_calls_session).
-define(TRACE, trace_in_session).
-include("trace_calls.erl").
