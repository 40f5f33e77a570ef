%% A handler of the logger that tells a process.
-module(told_log).
-export([log/2]).

log(#{msg := {Format, Arguments}}, #{config := To}) -> To ! {logged, lists:flatten(io_lib:format(Format, Arguments))};
log(_, _) -> ok.
