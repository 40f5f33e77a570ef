%% I/O vectors and I/O queues of native libraries.
-module(nif_queues).
-export([main/0]).
-nifs([new/0, inspect/3, enqv/3, enqv_allocated/3, enq_binary/4, deq/2, deq_blind/2, peek/1, bytes/1,
       peek_head/1, peek_head_blind/1, queue_size/1, bad_create/0]).
-include("n.hrl").

main() ->
    ok = erlang:load_nif(library("nif_queues"), 0),
    Big = binary:copy(<<"0123456789">>, 20),
    <<_:3, Unaligned:80/binary, _/bits>> = Big,
    Lists = [[], [<<>>], [<<"a">>], [<<"a">>, <<>>, <<"bc">>], [Big, <<"s">>, Unaligned, <<"t">>], [<<"a">> | <<"b">>], [a],
             [<<1:3>>], [<<"a">>, <<1:3>>, <<"b">>], [<<1, 2:4>>], [<<"ab">>, <<Big/binary, 1:4>>], [<<Big/binary, 1:7>>, <<"x">>],
             abc, "abc", [[<<"a">>]], [<<"a">>, b], lists:duplicate(20, <<"xy">>), [binary:part(Big, 3, 100)]],
    check(inspect, fun inspect/3, [[M, L, H] || L <- Lists, M <- [0, 1, 2, 64], H <- [0, 1, 2]]),
    t(many_parts, fun() -> {C, S, _, Tail, _} = inspect(16, many(100), 0), {C, S, length(Tail)} end),
    t(empty, fun() -> Q = new(), {queue_size(Q), peek(Q), same(peek_head(Q)), deq(Q, 0), deq(Q, 1), deq_blind(Q, 0)} end),
    t(enqv, fun() -> Q = new(), {enqv(Q, [<<"abc">>, Big], 0), enqv(Q, [<<"tail">>], 0), bytes(Q), queue_size(Q)} end),
    t(enqv_skip, fun() ->
                     [begin
                          Q = new(),
                          N = enqv(Q, [<<"abc">>, Big, <<"de">>], Skip),
                          {N, is_binary(bytes(Q)) andalso erlang:phash2(bytes(Q))}
                      end || Skip <- [0, 1, 3, 4, 203, 205]]
                 end),
    check(enqv_too_much, fun(Skip) -> enqv(new(), [<<"abc">>], Skip) end, [[4], [100]]),
    t(enqv_allocated, fun() -> Q = new(), {enqv_allocated(Q, many(50), 5), enqv_allocated(Q, [Big, Unaligned], 0), bytes(Q)} end),
    t(enq_binary, fun() ->
                      Q = new(),
                      {[enq_binary(Q, B, Skip, How) || B <- [<<"abcd">>, Big, Unaligned], Skip <- [0, 2], How <- [0, 1]], bytes(Q)}
                  end),
    check(enq_binary_limits, fun(B, Skip, How) -> Q = new(), {enq_binary(Q, B, Skip, How), bytes(Q)} end,
          [[B, Skip, How] || {B, Skip} <- [{<<>>, 0}, {<<"abc">>, 3}, {Big, 3}, {Big, 199}, {Big, 200}], How <- [0, 1]]),
    t(deq, fun deq_test/0),
    t(deq_blind, fun() -> Q = new(), enqv(Q, [<<"abcdef">>], 0), [deq_blind(Q, N) || N <- [2, 2, 3, 2, 1]] ++ [queue_size(Q)] end),
    t(peek_head, fun() ->
                     Q = new(),
                     enqv(Q, [<<"abc">>], 0),
                     enqv(Q, [Big], 0),
                     A = peek_head_of(Q),
                     deq(Q, 1),
                     B = peek_head_of(Q),
                     deq(Q, 2),
                     {A, B, element(2, peek_head_blind(Q)) =:= element(2, peek_head(Q))}
                 end),
    t(head_outlives, fun() ->
                         Q = new(),
                         enq_binary(Q, binary:copy(<<"k">>, 300), 10, 0),
                         {ok, Head} = peek_head_blind(Q),
                         deq(Q, 290),
                         erlang:garbage_collect(),
                         {queue_size(Q), byte_size(Head), erlang:phash2(Head)}
                     end),
    t(model, fun() -> model(new(), <<>>, 1, 2000) end),
    t(bad_create, fun bad_create/0).

same({S, B}) when is_binary(B) -> {S, B};
same(Other) -> Other.

many(N) -> [binary:copy(<<I>>, I rem 90) || I <- lists:seq(1, N)].

%% How the queue cuts its bytes is its own affair; that they begin with what it gives is not.
peek_head_of(Q) ->
    All = bytes(Q),
    {Size, Head} = peek_head(Q),
    {Size =:= byte_size(All) orelse Size =:= byte_size(Head), byte_size(Head) > 0, binary:part(All, 0, byte_size(Head)) =:= Head}.

deq_test() ->
    Q = new(),
    enqv(Q, [<<"abcdefgh">>, binary:copy(<<"X">>, 100), <<"ij">>], 0),
    [{N, deq(Q, N), erlang:phash2(bytes(Q))} || N <- [0, 1, 8, 1000, 98, 3, 2, 0, 1]].

%% Random steps against a plain binary.
model(Q, Bytes, _, 0) -> {queue_size(Q) =:= byte_size(Bytes), byte_size(Bytes)};
model(Q, Bytes, Seed0, N) ->
    Seed = (Seed0 * 1103515245 + 12345) band 16#7fffffff,
    Amount = (Seed bsr 8) rem 200,
    Data = binary:copy(<<(Seed band 255)>>, Amount),
    Now = case (Seed bsr 16) rem 5 of
              0 -> enqv(Q, [Data, <<"-">>], 0), <<Bytes/binary, Data/binary, "-">>;
              1 -> enq_binary(Q, Data, 0, Seed band 1), <<Bytes/binary, Data/binary>>;
              2 -> enqv_allocated(Q, [<<"+">>, Data], 1), <<Bytes/binary, Data/binary>>;
              _ ->
                  Count = min(Amount, byte_size(Bytes)),
                  {ok, _} = deq(Q, Count),
                  binary:part(Bytes, Count, byte_size(Bytes) - Count)
          end,
    case bytes(Q) of
        Now -> model(Q, Now, Seed, N - 1);
        Other -> {N, different, byte_size(Now), Other}
    end.

new() -> erlang:nif_error(not_loaded).
inspect(_, _, _) -> erlang:nif_error(not_loaded).
enqv(_, _, _) -> erlang:nif_error(not_loaded).
enqv_allocated(_, _, _) -> erlang:nif_error(not_loaded).
enq_binary(_, _, _, _) -> erlang:nif_error(not_loaded).
deq(_, _) -> erlang:nif_error(not_loaded).
deq_blind(_, _) -> erlang:nif_error(not_loaded).
peek(_) -> erlang:nif_error(not_loaded).
bytes(_) -> erlang:nif_error(not_loaded).
peek_head(_) -> erlang:nif_error(not_loaded).
peek_head_blind(_) -> erlang:nif_error(not_loaded).
queue_size(_) -> erlang:nif_error(not_loaded).
bad_create() -> erlang:nif_error(not_loaded).
