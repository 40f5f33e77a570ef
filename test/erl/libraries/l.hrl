%% t(Name, Fun) prints one line: what Fun returns, or how it fails.

t(Name, Fun) ->
    Result = try Fun() catch Class:Reason -> {Class, Reason} end,
    io:format("~0p: ~0tP~n", [Name, Result, 60]).
