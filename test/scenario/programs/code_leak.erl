%% Modules come and go in each of the ways there are, thousands of times, each time with code that was never there
%% before: in the end the memory for code, literals, funs and exports is what it was. What stays for ever,
%% as in the stock runtime, are names: atoms, and an export entry for each function that somebody ever named.
-module(code_leak).
-export([main/1]).

-define(FIRST, "v1000000").
-define(NAME, "unknown_0000000").
-define(EXPORT_ENTRY, 160). % bytes, and its place in a table
-define(RANGE_CHUNKS, 2 * 1792). % bytes

main([Cycles]) ->
    put(passed, 0),
    put(failed, 0),
    logger:set_primary_config(level, none), % the damaged ones
    N = list_to_integer(Cycles),
    Template = compiled([], "<<\"" ?FIRST "\">>"),
    Failing = compiled([{attribute, 1, on_load, {init, 0}}], "<<\"" ?FIRST "\">>"),
    Naming = compiled([], "{<<\"" ?FIRST "\">>, fun() -> " ?NAME ":" ?NAME "() end}"),
    [check(What, N, Cycle)
     || {What, Cycle} <- [{loaded, fun(I) -> load(Template, I) end},
                          {replaced, fun(I) -> load(Template, I), load(Template, I + 1000000) end},
                          {not_purged, fun(I) -> not_purged(Template, I) end},
                          {dropped, fun(I) -> prepare(Template, I) end},
                          {on_load_fails, fun(I) -> {error, on_load_failure} = loaded(Failing, I) end},
                          {damaged, fun(I) -> damaged(Template, I) end},
                          {held, fun(I) -> held(Template, I) end},
                          {persistent, fun(I) -> persistent(Template, I) end}]],
    names(Naming, N),
    io:format("~b passed, ~b failed~n", [get(passed), get(failed)]).

%% Two of the three generations of the tables of ranges still have what the last cycles brought: where that falls into
%% a full chunk, they have a chunk more, and next time it may fall elsewhere. A block lost in each cycle is more.
check(What, N, Cycle) when 16 * N > ?RANGE_CHUNKS ->
    cycles(N div 4, Cycle),
    Before = code_memory:settled(),
    cycles(N, Cycle),
    result(What, ?RANGE_CHUNKS, code_memory:at_most(Before + ?RANGE_CHUNKS) - Before).

result(What, Most, Grown) when Grown > Most ->
    put(failed, get(failed) + 1),
    io:format("FAILED: ~s: ~b bytes more, ~b at most were expected~n", [What, Grown, Most]);
result(_, _, _) -> put(passed, get(passed) + 1).

%% Atoms are made anew, and no more than an entry for each of them.
names(Template, N) ->
    Cycle = fun(I) ->
                    Name = io_lib:format("unknown_~7..0b", [I]),
                    load(binary:replace(Template, <<?NAME>>, iolist_to_binary(Name), [global]), I)
            end,
    cycles(N, Cycle),
    Before = code_memory:settled(),
    cycles(N, Cycle),
    result(names, ?EXPORT_ENTRY * N, code_memory:at_most(Before + ?EXPORT_ENTRY * N) - Before).

%% Each cycle in a number of its own; it leaves no code behind.
cycles(0, _) -> ok;
cycles(N, Cycle) ->
    I = case get(next) of undefined -> 1; Next -> Next end,
    put(next, I + 1),
    Cycle(I),
    gone(),
    cycles(N - 1, Cycle).

gone() ->
    code:purge(leaky),
    code:delete(leaky),
    code:purge(leaky).

code_of(Template, I) ->
    binary:replace(Template, <<?FIRST>>, list_to_binary("v" ++ integer_to_list(1000000 + I)), [global]).

prepare(Template, I) -> erlang:prepare_loading(leaky, code_of(Template, I)).
loaded(Template, I) -> code:load_binary(leaky, "", code_of(Template, I)).

load(Template, I) ->
    code:purge(leaky),
    {module, leaky} = loaded(Template, I),
    {_, Fun} = leaky:make(),
    true = is_function(Fun, 1).

not_purged(Template, I) ->
    load(Template, I),
    {module, leaky} = loaded(Template, I + 1000000),
    {not_purged, [leaky]} = erlang:finish_loading([prepare(Template, I + 2000000)]).

%% Some are refused late, and some not at all.
damaged(Template, I) ->
    Code = code_of(Template, I),
    {error, badfile} = erlang:prepare_loading(leaky, binary:part(Code, 0, byte_size(Code) - I rem 300 - 1)),
    [Before, <<Size:32, Chunk:Size/binary, After/binary>>] = binary:split(Code, <<"Code">>),
    At = 20 + I rem (Size - 20),
    <<Good:At/binary, Byte, Rest/binary>> = Chunk,
    Bad = <<Good/binary, (Byte bxor (1 + I rem 7)), Rest/binary>>,
    erlang:prepare_loading(leaky, <<Before/binary, "Code", Size:32, Bad/binary, After/binary>>).

%% Processes have its literals and funs when it goes, and end later.
held(Template, I) ->
    load(Template, I),
    Parent = self(),
    Pids = [spawn(fun() ->
                      Kept = leaky:make(),
                      Parent ! {self(), kept},
                      receive {Parent, go} -> Parent ! {self(), element(1, Kept)} end
                  end) || _ <- [1, 2]],
    [receive {P, kept} -> ok end || P <- Pids],
    gone(),
    [P ! {self(), go} || P <- Pids],
    [receive {P, {literal, _, _}} -> ok end || P <- Pids].

persistent(Template, I) ->
    load(Template, I),
    persistent_term:put(leaky, leaky:make()),
    gone(),
    {{literal, _, _}, _} = persistent_term:get(leaky),
    persistent_term:erase(leaky).

compiled(Attributes, Version) ->
    Forms = [{attribute, 1, module, leaky}, {attribute, 1, export, [{make, 0}, {version, 0}]}] ++ Attributes ++
        [parsed("make() -> {{literal, [1.5, \"text\"], #{a => <<1, 2, 3>>}}, fun(X) -> {X, version()} end}."),
         parsed("version() -> " ++ Version ++ "."), parsed("init() -> failing.")] ++ [{eof, 1}],
    {ok, leaky, Code} = compile:forms(Forms, [no_copt, no_bsm_opt, {nowarn_unused_function, [{init, 0}]}]),
    Code.

parsed(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.
