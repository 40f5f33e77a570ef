%% Replaced again and again while it is called: VERSION says which one it is.
-module(shop_price).
-export([quote/2]).

-define(SOLD_OUT, 5003).

quote(?SOLD_OUT = Id, _) -> exit({sold_out, Id});
quote(_, Item) ->
    {TaxVersion, Tax} = shop_tax:add(Item * ?VERSION),
    {?VERSION, TaxVersion, Item, Tax}.
