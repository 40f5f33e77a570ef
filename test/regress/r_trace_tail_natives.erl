%% A traced function in C that is called in tail position leaves its caller on the stack: it is the caller, it is returned
%% to, and stands in stack traces. One that fails returns nowhere.
-module(r_trace_tail_natives).
-export([main/0, adler/1, error1/1, error2/1, error3/1, nif_error/1, throws/1, exits/1, raises/1, fails/1, search/1,
         adler_with_frame/1, error_with_frame/1, throw_with_frame/1]).
-include("../erl/trace/trace.hrl").

adler(X) -> erlang:adler32(X).
error1(X) -> error(X).
error2(X) -> error(X, [X]).
error3(X) -> error(X, [X], []).
nif_error(X) -> erlang:nif_error(X).
throws(X) -> throw(X).
exits(X) -> exit(X).
raises(X) -> erlang:raise(error, X, []).
fails(X) -> atom_to_list(X).
search(X) -> lists:keysearch(X, 1, [{X, 1}]).
adler_with_frame(X) -> Y = id(X), id(Y), erlang:adler32(Y).
error_with_frame(X) -> Y = id(X), id(Y), erlang:error(Y).
throw_with_frame(X) -> Y = id(X), id(Y), throw(Y).

id(X) -> X.

natives() ->
    [{erlang, adler32, 1}, {erlang, error, 1}, {erlang, error, 2}, {erlang, error, 3}, {erlang, nif_error, 1},
     {erlang, throw, 1}, {erlang, exit, 1}, {erlang, raise, 3}, {erlang, atom_to_list, 1}, {lists, keysearch, 3}].

callers() ->
    [adler, error1, error2, error3, nif_error, throws, exits, raises, fails, search, adler_with_frame, error_with_frame,
     throw_with_frame].

main() ->
    [go(Kind, Spec, F) ||
        Kind <- [[local], [global]],
        Spec <- [[{'_', [], [{message, {caller}}]}], [{'_', [], [{return_trace}, {message, {caller}}]}],
                 [{'_', [], [{exception_trace}, {message, {caller_line}}]}]],
        F <- callers()].

go(Kind, Spec, F) ->
    P = servant(),
    erlang:trace(P, true, [call, return_to]),
    [erlang:trace_pattern(N, Spec, Kind) || N <- natives()],
    Result = run(P, fun() -> call(F) end),
    show({F, Kind, Spec}, [Result | collected(P)]),
    [erlang:trace_pattern(N, false, Kind) || N <- natives()],
    P ! stop.

call(F) ->
    [try ?MODULE:F(<<"x">>)
     catch
         C:E:S -> {C, E, [setelement(4, Frame, []) || Frame <- S]}
     end, 1].
