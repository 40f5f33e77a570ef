%% Natives of the flight recorder (src/process/recorder.h). What they give is text, as src/process/recorder_text.h says.
-module(viv_recorder).
-export([choose/2, head/0, ring/2]).

choose(_Events, _Records) -> erlang:nif_error(undef). % ok; <<"sched,procs">>; <<>>: nothing is recorded any more
head() -> erlang:nif_error(undef). % Binary | undefined: nothing is recorded
ring(_Index, _Nanoseconds) -> erlang:nif_error(undef). % Binary | undefined: there are no more rings
