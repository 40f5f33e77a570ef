%% All of trace_costs in a session of the module trace, which must tell the same.
-module(trace_costs_session).
-define(TRACE, trace_in_session).
-include("trace_costs.erl").
