%% What became of a module's code: natives (src/bif/code/listing.c).
-module(viv_dis_code).
-export([place/3, listing/3]).

place(_Module, _Function, _Arity) -> erlang:nif_error(undef). % {Info, Entry}: where its words lead; undefined
listing(_Module, _Beam, _IsNative) -> erlang:nif_error(undef). % {ok, {Text, {Address, Code} | false}} | {error, Text}
