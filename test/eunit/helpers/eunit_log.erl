%% A logger handler that sends events to the process that is its configuration.
-module(eunit_log).
-export([log/2]).

log(Event, #{config := Pid}) -> Pid ! {logged, Event}.
