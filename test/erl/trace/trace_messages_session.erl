%% All of trace_messages in a session of the module trace, which must tell the same.
-module(trace_messages_session).
-define(TRACE, trace_in_session).
-include("trace_messages.erl").
