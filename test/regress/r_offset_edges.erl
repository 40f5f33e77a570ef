%% Registers, frames and places in tuples at the edge of what one byte of offset reaches in native code.
-module(r_offset_edges).
-compile(nowarn_unused_vars).
-export([main/0, id/1]).

main() ->
    show([kept_10(a), moved_10(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), tuple_10(erlang:make_tuple(10, x)),
          record_10(list_to_tuple(lists:seq(1, 10)))]),
    show([kept_11(a), moved_11(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), tuple_11(erlang:make_tuple(11, x)),
          record_11(list_to_tuple(lists:seq(1, 11)))]),
    show([kept_12(a), moved_12(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), tuple_12(erlang:make_tuple(12, x)),
          record_12(list_to_tuple(lists:seq(1, 12)))]),
    show([kept_13(a), moved_13(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), tuple_13(erlang:make_tuple(13, x)),
          record_13(list_to_tuple(lists:seq(1, 13)))]),
    show([kept_14(a), moved_14(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), tuple_14(erlang:make_tuple(14, x)),
          record_14(list_to_tuple(lists:seq(1, 14)))]),
    show([kept_15(a), moved_15(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), tuple_15(erlang:make_tuple(15,
          x)), record_15(list_to_tuple(lists:seq(1, 15)))]),
    show([kept_16(a), moved_16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
          tuple_16(erlang:make_tuple(16, x)), record_16(list_to_tuple(lists:seq(1, 16)))]),
    show([kept_17(a), moved_17(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
          tuple_17(erlang:make_tuple(17, x)), record_17(list_to_tuple(lists:seq(1, 17)))]),
    show([kept_18(a), moved_18(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17),
          tuple_18(erlang:make_tuple(18, x)), record_18(list_to_tuple(lists:seq(1, 18)))]).

show(Term) -> io:format("~p~n", [Term]).

id(X) -> X.

kept_10(X) ->
    V0 = id({X, 0}),
    V1 = id({X, 1}),
    V2 = id({X, 2}),
    V3 = id({X, 3}),
    V4 = id({X, 4}),
    V5 = id({X, 5}),
    V6 = id({X, 6}),
    V7 = id({X, 7}),
    V8 = id({X, 8}),
    V9 = id({X, 9}),
    {V9, V8, V7, V6, V5, V4, V3, V2, V1, V0, X}.

moved_10(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9) ->
    turned_10(V1, V2, V3, V4, V5, V6, V7, V8, V9, V0).

turned_10(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9) when V9 < 1, V8 > 1 ->
    [V9 + 1, V8 - 1, id(V9), V8 | [V0, V1, V2, V3, V4, V5, V6, V7, V8, V9]].

tuple_10(T) -> setelement(10, setelement(9, T, {y, T}), z).

record_10({V0, V1, V2, V3, V4, V5, V6, V7, V8, V9}) ->
    A = id(V9),
    {A, V8, V0, A =:= V9}.

kept_11(X) ->
    V0 = id({X, 0}),
    V1 = id({X, 1}),
    V2 = id({X, 2}),
    V3 = id({X, 3}),
    V4 = id({X, 4}),
    V5 = id({X, 5}),
    V6 = id({X, 6}),
    V7 = id({X, 7}),
    V8 = id({X, 8}),
    V9 = id({X, 9}),
    V10 = id({X, 10}),
    {V10, V9, V8, V7, V6, V5, V4, V3, V2, V1, V0, X}.

moved_11(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10) ->
    turned_11(V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V0).

turned_11(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10) when V10 < 1, V9 > 1 ->
    [V10 + 1, V9 - 1, id(V10), V9 | [V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10]].

tuple_11(T) -> setelement(11, setelement(10, T, {y, T}), z).

record_11({V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10}) ->
    A = id(V10),
    {A, V9, V0, A =:= V10}.

kept_12(X) ->
    V0 = id({X, 0}),
    V1 = id({X, 1}),
    V2 = id({X, 2}),
    V3 = id({X, 3}),
    V4 = id({X, 4}),
    V5 = id({X, 5}),
    V6 = id({X, 6}),
    V7 = id({X, 7}),
    V8 = id({X, 8}),
    V9 = id({X, 9}),
    V10 = id({X, 10}),
    V11 = id({X, 11}),
    {V11, V10, V9, V8, V7, V6, V5, V4, V3, V2, V1, V0, X}.

moved_12(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11) ->
    turned_12(V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V0).

turned_12(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11) when V11 < 1, V10 > 1 ->
    [V11 + 1, V10 - 1, id(V11), V10 | [V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11]].

tuple_12(T) -> setelement(12, setelement(11, T, {y, T}), z).

record_12({V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11}) ->
    A = id(V11),
    {A, V10, V0, A =:= V11}.

kept_13(X) ->
    V0 = id({X, 0}),
    V1 = id({X, 1}),
    V2 = id({X, 2}),
    V3 = id({X, 3}),
    V4 = id({X, 4}),
    V5 = id({X, 5}),
    V6 = id({X, 6}),
    V7 = id({X, 7}),
    V8 = id({X, 8}),
    V9 = id({X, 9}),
    V10 = id({X, 10}),
    V11 = id({X, 11}),
    V12 = id({X, 12}),
    {V12, V11, V10, V9, V8, V7, V6, V5, V4, V3, V2, V1, V0, X}.

moved_13(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12) ->
    turned_13(V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V0).

turned_13(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12) when V12 < 1, V11 > 1 ->
    [V12 + 1, V11 - 1, id(V12), V11 | [V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12]].

tuple_13(T) -> setelement(13, setelement(12, T, {y, T}), z).

record_13({V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12}) ->
    A = id(V12),
    {A, V11, V0, A =:= V12}.

kept_14(X) ->
    V0 = id({X, 0}),
    V1 = id({X, 1}),
    V2 = id({X, 2}),
    V3 = id({X, 3}),
    V4 = id({X, 4}),
    V5 = id({X, 5}),
    V6 = id({X, 6}),
    V7 = id({X, 7}),
    V8 = id({X, 8}),
    V9 = id({X, 9}),
    V10 = id({X, 10}),
    V11 = id({X, 11}),
    V12 = id({X, 12}),
    V13 = id({X, 13}),
    {V13, V12, V11, V10, V9, V8, V7, V6, V5, V4, V3, V2, V1, V0, X}.

moved_14(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13) ->
    turned_14(V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V0).

turned_14(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13) when V13 < 1, V12 > 1 ->
    [V13 + 1, V12 - 1, id(V13), V12 | [V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13]].

tuple_14(T) -> setelement(14, setelement(13, T, {y, T}), z).

record_14({V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13}) ->
    A = id(V13),
    {A, V12, V0, A =:= V13}.

kept_15(X) ->
    V0 = id({X, 0}),
    V1 = id({X, 1}),
    V2 = id({X, 2}),
    V3 = id({X, 3}),
    V4 = id({X, 4}),
    V5 = id({X, 5}),
    V6 = id({X, 6}),
    V7 = id({X, 7}),
    V8 = id({X, 8}),
    V9 = id({X, 9}),
    V10 = id({X, 10}),
    V11 = id({X, 11}),
    V12 = id({X, 12}),
    V13 = id({X, 13}),
    V14 = id({X, 14}),
    {V14, V13, V12, V11, V10, V9, V8, V7, V6, V5, V4, V3, V2, V1, V0, X}.

moved_15(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14) ->
    turned_15(V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V0).

turned_15(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14) when V14 < 1, V13 > 1 ->
    [V14 + 1, V13 - 1, id(V14), V13 | [V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14]].

tuple_15(T) -> setelement(15, setelement(14, T, {y, T}), z).

record_15({V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14}) ->
    A = id(V14),
    {A, V13, V0, A =:= V14}.

kept_16(X) ->
    V0 = id({X, 0}),
    V1 = id({X, 1}),
    V2 = id({X, 2}),
    V3 = id({X, 3}),
    V4 = id({X, 4}),
    V5 = id({X, 5}),
    V6 = id({X, 6}),
    V7 = id({X, 7}),
    V8 = id({X, 8}),
    V9 = id({X, 9}),
    V10 = id({X, 10}),
    V11 = id({X, 11}),
    V12 = id({X, 12}),
    V13 = id({X, 13}),
    V14 = id({X, 14}),
    V15 = id({X, 15}),
    {V15, V14, V13, V12, V11, V10, V9, V8, V7, V6, V5, V4, V3, V2, V1, V0, X}.

moved_16(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15) ->
    turned_16(V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V0).

turned_16(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15) when V15 < 1, V14 > 1 ->
    [V15 + 1, V14 - 1, id(V15), V14 | [V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15]].

tuple_16(T) -> setelement(16, setelement(15, T, {y, T}), z).

record_16({V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15}) ->
    A = id(V15),
    {A, V14, V0, A =:= V15}.

kept_17(X) ->
    V0 = id({X, 0}),
    V1 = id({X, 1}),
    V2 = id({X, 2}),
    V3 = id({X, 3}),
    V4 = id({X, 4}),
    V5 = id({X, 5}),
    V6 = id({X, 6}),
    V7 = id({X, 7}),
    V8 = id({X, 8}),
    V9 = id({X, 9}),
    V10 = id({X, 10}),
    V11 = id({X, 11}),
    V12 = id({X, 12}),
    V13 = id({X, 13}),
    V14 = id({X, 14}),
    V15 = id({X, 15}),
    V16 = id({X, 16}),
    {V16, V15, V14, V13, V12, V11, V10, V9, V8, V7, V6, V5, V4, V3, V2, V1, V0, X}.

moved_17(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16) ->
    turned_17(V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V0).

turned_17(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16) when V16 < 1, V15 > 1 ->
    [V16 + 1, V15 - 1, id(V16), V15 | [V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15,
        V16]].

tuple_17(T) -> setelement(17, setelement(16, T, {y, T}), z).

record_17({V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16}) ->
    A = id(V16),
    {A, V15, V0, A =:= V16}.

kept_18(X) ->
    V0 = id({X, 0}),
    V1 = id({X, 1}),
    V2 = id({X, 2}),
    V3 = id({X, 3}),
    V4 = id({X, 4}),
    V5 = id({X, 5}),
    V6 = id({X, 6}),
    V7 = id({X, 7}),
    V8 = id({X, 8}),
    V9 = id({X, 9}),
    V10 = id({X, 10}),
    V11 = id({X, 11}),
    V12 = id({X, 12}),
    V13 = id({X, 13}),
    V14 = id({X, 14}),
    V15 = id({X, 15}),
    V16 = id({X, 16}),
    V17 = id({X, 17}),
    {V17, V16, V15, V14, V13, V12, V11, V10, V9, V8, V7, V6, V5, V4, V3, V2, V1, V0, X}.

moved_18(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17) ->
    turned_18(V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17, V0).

turned_18(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17) when V17 < 1, V16 >
        1 ->
    [V17 + 1, V16 - 1, id(V17), V16 | [V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16,
        V17]].

tuple_18(T) -> setelement(18, setelement(17, T, {y, T}), z).

record_18({V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17}) ->
    A = id(V17),
    {A, V16, V0, A =:= V17}.
