%% The last price of each thing.
-module(shop_store).
-export([create/0, put/2]).

create() -> ?MODULE = ets:new(?MODULE, [named_table, public, {write_concurrency, true}]).

put(Item, Price) -> true = ets:insert(?MODULE, {Item, Price}).
