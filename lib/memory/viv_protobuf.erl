%% The wire format of protocol buffers (protobuf.dev, "Encoding"): fields, one behind the other.
-module(viv_protobuf).
-export([number/2, fixed64/2, message/2, varint/1]).

%% Of the types int64, uint64 and shorter, bool, enum.
-spec number(pos_integer(), non_neg_integer()) -> iolist().
number(Field, Value) -> [varint(Field bsl 3), varint(Value)].

-spec fixed64(pos_integer(), non_neg_integer()) -> iolist().
fixed64(Field, Value) -> [varint(Field bsl 3 bor 1), <<Value:64/little>>].

%% A message within, a string, bytes, or packed numbers.
-spec message(pos_integer(), iodata()) -> iolist().
message(Field, Content) -> [varint(Field bsl 3 bor 2), varint(iolist_size(Content)), Content].

-spec varint(non_neg_integer()) -> iolist().
varint(N) when N < 128 -> [N];
varint(N) -> [N band 127 bor 128 | varint(N bsr 7)].
