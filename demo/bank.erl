%% A bank on several nodes, one database: what each member runs. Accounts and the entries of the ledger are in tables
%% that every member has a copy of, and that only a majority of the members may change. A transfer changes two accounts
%% and adds one entry, in one transaction, whose number its client has chosen.
%%
%% Each member has a clerk, found by a global name. A transfer that is asked of one member is done by any member's
%% clerk, so that it crosses nodes twice. Besides, one member is the head, whichever was first to register: all must
%% agree on it.
-module(bank).
-export([found/2, join/1, leave/0, transfer/4, cut/1, heal/1, opening/0, accounts/0, ledger/0, names/0]).
-export([clerk/1]).

-define(OPENING, 1000).  % what each account holds at first
-define(PATIENCE, 5000). % milliseconds that a client waits for a clerk

-record(account, {number, balance}).
-record(entry, {id, from, to, amount, try_of}). % try_of: one for each run of the transaction's fun

%% The first member makes the database of all; the others have an empty mnesia that runs.
found(Members, Accounts) ->
    {ok, _} = mnesia:change_config(extra_db_nodes, Members),
    [{atomic, ok} = mnesia:change_table_copy_type(schema, Member, disc_copies) || Member <- Members],
    Options = [{disc_copies, Members}, {majority, true}],
    {atomic, ok} = mnesia:create_table(account, [{attributes, record_info(fields, account)} | Options]),
    {atomic, ok} = mnesia:create_table(entry, [{attributes, record_info(fields, entry)}, {type, bag} | Options]),
    {atomic, ok} = mnesia:transaction(fun() ->
        [mnesia:write(#account{number = N, balance = ?OPENING}) || N <- lists:seq(1, Accounts)], ok end),
    ok.

%% A member starts: with the tables as the others have them, when there are others.
join(Others) ->
    [true = net_kernel:connect_node(Other) || Other <- Others],
    application:set_env(mnesia, dump_log_write_threshold, 50000),
    ok = mnesia:start(),
    Tables = mnesia:system_info(tables) -- [schema],
    ok = mnesia:wait_for_tables(Tables, 30000),
    ok = global:sync(),
    Clerks = [spawn(?MODULE, clerk, [Name]) || Name <- [{clerk, node()}, head]],
    persistent_term:put(bank, Clerks).

leave() ->
    [exit(Clerk, kill) || Clerk <- persistent_term:get(bank)],
    stopped = mnesia:stop(),
    ok.

%% --- Transfers ---

%% done; {refused, Why}: it was not done, and will not be; {unknown, Why}: it may have been.
transfer(Id, From, To, Amount) ->
    case [Name || {clerk, _} = Name <- global:registered_names()] of
        [] -> {refused, no_clerk};
        Names ->
            case global:whereis_name(lists:nth(rand:uniform(length(Names)), Names)) of
                undefined -> {refused, no_clerk};
                Clerk -> ask(Clerk, {Id, From, To, Amount})
            end
    end.

ask(Clerk, Transfer) ->
    Request = erlang:monitor(process, Clerk, [{alias, reply_demonitor}]),
    Clerk ! {Request, Transfer},
    receive
        {Request, Answer} -> Answer;
        {'DOWN', Request, _, _, Why} -> {unknown, Why}
    after ?PATIENCE ->
        erlang:demonitor(Request, [flush]),
        {unknown, timeout}
    end.

%% Whoever registers the name first is asked; a clerk whose name another member's got at the same moment tries again.
clerk(Name) ->
    case global:register_name(Name, self(), fun global:random_notify_name/3) of
        yes -> serve(Name);
        no -> timer:sleep(100), clerk(Name)
    end.

serve(Name) ->
    receive
        {global_name_conflict, _} -> clerk(Name);
        {Request, Transfer} ->
            spawn(fun() -> Request ! {Request, entered(Transfer)} end),
            serve(Name)
    end.

entered({Id, From, To, Amount}) ->
    Transfer = fun() ->
        [Giver] = mnesia:read(account, From, write),
        [Taker] = mnesia:read(account, To, write),
        ok = mnesia:write(Giver#account{balance = Giver#account.balance - Amount}),
        ok = mnesia:write(Taker#account{balance = Taker#account.balance + Amount}),
        mnesia:write(#entry{id = Id, from = From, to = To, amount = Amount, try_of = make_ref()})
    end,
    case mnesia:transaction(Transfer) of
        {atomic, ok} -> done;
        {aborted, Why} -> {refused, Why}
    end.

%% --- Cut off, and healed ---

%% Nobody of the others can connect, nor be connected to, for their secrets differ.
cut(Others) ->
    [true = erlang:set_cookie(Other, cut_off) || Other <- Others],
    [erlang:disconnect_node(Other) || Other <- Others],
    ok.

%% What a member did not hear of while it was cut off it takes from the others.
heal(Others) ->
    ok = leave(),
    [true = erlang:set_cookie(Other, erlang:get_cookie()) || Other <- Others],
    join(Others).

%% --- What this member's copies hold ---

opening() -> ?OPENING.

accounts() -> lists:sort([{Number, Balance} || #account{number = Number, balance = Balance} <- ets:tab2list(account)]).

ledger() ->
    lists:sort([{Id, From, To, Amount}
                || #entry{id = Id, from = From, to = To, amount = Amount} <- ets:tab2list(entry)]).

names() -> lists:sort([{Name, global:whereis_name(Name)} || Name <- global:registered_names()]).
