%% All of trace_flags in a session of the module trace, which must tell the same.
-module(trace_flags_session).
-define(TRACE, trace_in_session).
-include("trace_flags.erl").
