%% Bytes say of which nodes, and of which code, they have identifiers and funs: of ever so many, each takes no longer
%% than the one before. Were all before looked at each time, each of these lines would take longer than a test may.
-module(r_decode_names).
-export([main/0]).

-define(COUNT, 150000).

main() ->
    [io:format("~s: ~p~n", [What, decoded(Each, Count)])
     || {What, Each, Count} <- [{"creations", fun(I) -> pid(<<"far@away">>, I) end, ?COUNT},
                                {"names", fun(I) -> pid(<<"n@", (integer_to_binary(I))/binary>>, 1) end, ?COUNT},
                                {"ports", fun(I) -> <<89, (atom(<<"far@away">>))/binary, 1:32, I:32>> end, ?COUNT},
                                {"funs", fun(I) -> a_fun(<<I:128>>, 0, 0) end, funs()},
                                {"indexes", fun(I) -> a_fun(<<0:128>>, I, 0) end, funs()},
                                {"arities", fun(I) -> a_fun(<<0:96, (I bsr 8):32>>, 0, I band 255) end, funs()}]],
    io:format("~w~n", [[{node(P), P =:= again(P)} || P <- list([pid(<<"far@away">>, I) || I <- [1, 2, 1, 3]])]]),
    io:format("~w~n", [[A =:= B || A <- pids(), B <- pids()]]).

%% Funs of one module and index are on stock what all are looked at for.
funs() ->
    case code:which(viv_recorder) of
        non_existing -> ?COUNT div 400;
        _ -> ?COUNT
    end.

%% Are they all different? Funs of one module and index are not, whatever their code.
decoded(Each, Count) ->
    Terms = list([Each(I) || I <- lists:seq(1, Count)]),
    Distinct = length(lists:usort(Terms)),
    erlang:garbage_collect(),
    Distinct =:= Count.

list(Bytes) -> binary_to_term(iolist_to_binary([131, 108, <<(length(Bytes)):32>>, Bytes, 106])).
again(T) -> binary_to_term(term_to_binary(T)).
pids() -> list([pid(<<"far@away">>, I) || I <- [1, 2, 1]]).

atom(Name) -> <<119, (byte_size(Name)), Name/binary>>.
pid(Node, Creation) -> <<88, (atom(Node))/binary, 1:32, 2:32, Creation:32>>.
a_fun(Uniq, Index, Arity) ->
    Creator = pid(<<"far@away">>, 1),
    Rest = <<Arity, Uniq/binary, Index:32, 0:32, (atom(<<"m">>))/binary, 97, 0, 97, 0, Creator/binary>>,
    <<112, (byte_size(Rest) + 4):32, Rest/binary>>.
