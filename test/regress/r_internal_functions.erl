%% Built-in functions that the runtime calls to go on with something cannot be called by name: they took what they were
%% given for their own, and the runtime crashed.
-module(r_internal_functions).
-export([main/0]).

main() ->
    Functions = [{ets, internal_traverse, 1}, {ets, internal_delete_rest, 1}, {erts_internal, etf_encode_continue, 3},
                 {erts_internal, etf_decode_continue, 2}, {erts_internal, characters_continue, 2},
                 {erts_internal, md5_update, 2}, {erts_internal, load_nif_begin, 3}, {erts_internal, load_nif, 3},
                 {erts_internal, load_nif_bind, 1}],
    [io:format("~p~n", [{MFA, called(MFA), erlang:function_exported(M, F, A), erlang:is_builtin(M, F, A)}])
     || {M, F, A} = MFA <- Functions].

called({M, F, A}) ->
    Arguments = lists:duplicate(A, {1, 2, 3, 4, 5, 6, 7, {true, 1}}),
    [try Call() catch error:E -> E end || Call <- [fun() -> apply(M, F, Arguments) end,
                                                   fun() -> apply(fun M:F/A, Arguments) end]].
