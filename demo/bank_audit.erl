%% What is wrong with a bank (bank.erl) in the end, by what its clients were told and what its copies hold.
-module(bank_audit).
-export([wrong/3]).

%% Told: {Id, From, To, Amount, done | refused | unknown}. Copies: {Member, Accounts, Ledger}, as bank:accounts/0 and
%% bank:ledger/0 say. [] when nothing is.
wrong(Told, Count, [{_, Accounts, Ledger} | _] = Copies) ->
    Heard = maps:from_list([{Id, {{Id, From, To, Amount}, What}} || {Id, From, To, Amount, What} <- Told]),
    [{differs_from_the_first, Member} || {Member, A, L} <- Copies, {A, L} =/= {Accounts, Ledger}]
        ++ wrong_entries(Heard, Ledger)
        ++ wrong_accounts(Count, Accounts, Ledger).

wrong_entries(Told, Ledger) ->
    Entered = maps:from_list([{element(1, Entry), Entry} || Entry <- Ledger]),
    Asked = fun({Id, _, _, _}) -> element(1, maps:get(Id, Told, {none})) end,
    [{lost, Id} || {Id, {Entry, done}} <- maps:to_list(Told), maps:get(Id, Entered, none) =/= Entry]
        ++ [{refused_yet_done, Id} || {Id, {_, refused}} <- maps:to_list(Told), is_map_key(Id, Entered)]
        ++ [{nobody_asked, Entry} || Entry <- maps:values(Entered), Asked(Entry) =/= Entry]
        ++ twice(Ledger).

%% The ledger is sorted.
twice([{Id, _, _, _} | [{Id, _, _, _} | _] = Rest]) -> [{twice, Id} | twice(Rest)];
twice([_ | Rest]) -> twice(Rest);
twice([]) -> [].

wrong_accounts(Count, Accounts, Ledger) ->
    Add = fun(Number, Amount, All) -> maps:update_with(Number, fun(Balance) -> Balance + Amount end, All) end,
    Opened = maps:from_list([{Number, bank:opening()} || Number <- lists:seq(1, Count)]),
    Transfer = fun({_, From, To, Amount}, All) -> Add(From, -Amount, Add(To, Amount, All)) end,
    Right = lists:foldl(Transfer, Opened, Ledger),
    [{accounts, maps:to_list(Right) -- Accounts} || lists:sort(maps:to_list(Right)) =/= Accounts].
