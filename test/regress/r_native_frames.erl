%% Functions in C of stock modules: they show once in a trace, without the lines of modules that the stock runtime has
%% within itself, and those that their module does not export cannot be called.
-module(r_native_frames).
-export([main/0]).
-include("../erl/t.hrl").

main() ->
    Z = fun() -> zlib:open() end,
    [deep(N, F) || {N, F} <- [
        {unexported, fun() -> zlib:inflate_nif(a, b, c, d) end},
        {unexported_body, fun() -> {zlib:inflate_nif(a, b, c, d)} end},
        {unexported_by_name, fun() -> M = id(zlib), M:inflate_nif(a, b, c, d) end},
        {unexported_file, fun() -> {prim_file:read_nif(foo, 1)} end},
        {unexported_buffer, fun() -> {prim_buffer:copying_read(foo, 1)} end},
        {init, fun() -> {zlib:inflateInit(foo)} end},
        {crc32, fun() -> {zlib:crc32(foo)} end},
        {buffer, fun() -> {prim_buffer:read_iovec(foo, 1)} end},
        {buffer_write, fun() -> {prim_buffer:write(foo, 1)} end},
        {map_next, fun() -> {erts_internal:map_next(foo, 1, 2)} end},
        {atomics, fun() -> {atomics:get(foo, 1)} end},
        {name, fun() -> {prim_file:internal_name2native(1.0)} end},
        {zip, fun() -> {zlib:zip(foo)} end},
        {size, fun() -> {zlib:setBufSize(Z(), foo)} end},
        {deflate, fun() -> {zlib:deflate(Z(), foo)} end},
        {binary, fun() -> {binary:at(foo, 1)} end},
        {ets, fun() -> {ets:tab2list(foo)} end}]],
    io:format("~p~n", [[erlang:function_exported(M, F, A) || {M, F, A} <- [{zlib, inflate_nif, 4}, {prim_file, read_nif, 2},
                                                                          {zlib, inflate, 2}, {prim_buffer, new, 0}]]]).

deep(Name, F) ->
    R = try F() catch C:E:S -> {C, E, [top(X) || X <- lists:sublist(S, 3)]} end,
    io:format("~p: ~0p~n", [Name, R]).
