%% viv sample, on the client's side: what is asked for; the stacks as a table, folded, or as a page.
-module(viv_see_sampling).
-export([run/1, help/0, options/0]).

-record(s, {conversation, node, files, rate, stacks = #{}, base}).
-define(RATE, 99).
-define(ROWS, 30).

help() ->
    "usage: viv sample TARGET [options]\n"
    "\n"
    "Where a running node spends its time: notes so many times a second which functions its threads are in, and who\n"
    "called those. No breakpoint is set and no event sent. TARGET is a process number of this machine (`viv nodes`\n"
    "lists them) or NAME@HOST. Ends on ^C, or after --for.\n"
    "\n"
    "  --for TIME     ends after 500ms, 10s, 5m, 1h\n"
    "  --hz N         samples a second of each thread that works (99; at most 1000)\n"
    "  --by process   apart for each process and port, by name where it has one\n"
    "  -o FILE        into a file, by its name; may be given again:\n"
    "                   FILE.html     a flame graph: open it in a browser\n"
    "                   FILE.folded   stacks and how often, for other programs that draw them\n"
    "                   FILE.json     for speedscope\n"
    "                   FILE.prof     for google-pprof\n"
    "  --than FILE    with -o FILE.html: coloured by what has changed since FILE.folded was made\n"
    "\n"
    "Without -o the functions are listed: how much of the time was spent in each of them (self), and in it and what\n"
    "it called (total). [native] is native code whose function is not known, [collection] a garbage collection,\n"
    "[lock of table NAME] waiting while others have that, [runtime] what the runtime does for a process: its signals,\n"
    "its end.\n".

options() ->
    #{"--for" => time, "--hz" => count, "--by" => {words, ["process"]}, "-o" => {many, file}, "--than" => file}.

run(Arguments) ->
    {Options, Words} = viv_see_options:parse(Arguments, options()),
    Target = viv_see_options:target(Words),
    Rate = rate(proplists:get_value("--hz", Options, ?RATE)),
    By = by(proplists:get_value("--by", Options)),
    Files = [{form(File), File} || File <- viv_see_options:files(Options)],
    Base = base(proplists:get_value("--than", Options), lists:keymember(html, 1, Files)),
    Request = #{rate => Rate, by => By, time => proplists:get_value("--for", Options, infinity)},
    {Conversation, #{node := Node}} = viv_see_target:open_until_interrupt(Target, {sample, Request}),
    listen(#s{conversation = Conversation, node = Node, files = Files, rate = Rate, base = Base}).

rate(Rate) when Rate =< 1000 -> Rate;
rate(_) -> throw({usage, "--hz takes 1000 at most"}).

by(undefined) -> none;
by("process") -> process;
by(Other) -> throw({usage, ["--by takes `process`, not ", Other]}).

form(undefined) -> text;
form(File) ->
    case filename:extension(File) of
        ".html" -> html;
        ".folded" -> folded;
        ".json" -> json;
        ".prof" -> pprof;
        _ -> throw({usage, [File, ": the file's name ends in .html, .folded, .json or .prof"]})
    end.

base(undefined, _) -> none;
base(File, true) ->
    case prim_file:read_file(File) of
        {ok, Bytes} ->
            try viv_see_stacks:from_folded(Bytes)
            catch error:_ -> throw({see, [File, " has no folded stacks in it"]})
            end;
        {error, Reason} -> throw({see, [File, ": ", file:format_error(Reason)]})
    end;
base(_, _) -> throw({usage, "--than goes with -o FILE.html"}).

%% --- what comes -----------------------------------------------------------------------------------------------------

listen(S = #s{conversation = Conversation}) ->
    {What, Next} = viv_see_target:hear(Conversation),
    heard(What, S#s{conversation = Next}).

heard({samples, Samples}, S = #s{stacks = Stacks, node = Node}) ->
    listen(S#s{stacks = lists:foldl(fun(Sample, Sums) -> add(Sample, Node, Sums) end, Stacks, Samples)});
heard({'end', {error, Text}, _}, _) -> throw({see, Text});
heard({'end', _, #{took := Took, lost := Lost}}, S = #s{stacks = Stacks, rate = Rate}) ->
    Count = viv_see_stacks:count(Stacks),
    [put_out(Form, File, S) || {Form, File} <- S#s.files],
    viv_see_out:say("sample", io_lib:format("~w samples in ~.1f s, ~w a second of each thread that worked~ts",
                                            [Count, Took / 1000, Rate, lost(Lost)])),
    throw({exit, 0}).

lost(0) -> "";
lost(Lost) -> io_lib:format("; ~w more were lost", [Lost]).

add({Count, By, Thread, What, Frames}, Node, Stacks) ->
    Stack = roots(By, Thread, Node) ++ lists:reverse(leaf(What, By, Frames) ++ names(Frames)),
    Stacks#{Stack => maps:get(Stack, Stacks, 0) + Count}.

%% Names from the root on: threads that are no schedulers, then for whom.
roots(By, Thread, Node) -> thread(Thread) ++ actor(By, Node).

thread(scheduler) -> [];
thread(Dirty) -> [<<"[", (atom_to_binary(Dirty))/binary, "]">>].

actor(process, _) -> [];
actor(port, _) -> [<<"[port]">>];
actor(Name, _) when is_atom(Name) -> [unicode:characters_to_binary(viv_see_text:name(Name))];
actor(Actor, Node) -> [unicode:characters_to_binary(viv_see_text:term(Actor, Node))].

leaf(_, _, sensitive) -> [<<"[sensitive]">>];
leaf({lock, Table}, _, _) -> [unicode:characters_to_binary(io_lib:format("[lock of table ~tw]", [Table]))];
leaf(garbage_collection, _, _) -> [<<"[collection]">>];
leaf(runtime, By, _) when By =/= port, not is_port(By) -> [<<"[runtime]">>];
leaf(native, _, _) -> [<<"[native]">>];
leaf(_, _, _) -> [].

names([{_, _, _} = Function | Frames]) ->
    [unicode:characters_to_binary(viv_see_text:mfa(Function)) | names(Frames)];
names('...') -> [<<"...">>];
names(_) -> [].

%% --- what is made of it ---------------------------------------------------------------------------------------------

put_out(text, _, #s{stacks = Stacks}) -> show(viv_see_stacks:functions(Stacks), viv_see_stacks:count(Stacks));
put_out(Form, File, S) -> viv_see_out:put_file(File, bytes(Form, S)).

bytes(folded, #s{stacks = Stacks}) -> viv_see_stacks:to_folded(Stacks);
bytes(json, #s{stacks = Stacks, node = Node}) -> viv_see_stacks:to_speedscope(Stacks, Node);
bytes(pprof, #s{stacks = Stacks, node = Node, rate = Rate}) -> viv_see_stacks:to_pprof(Stacks, Node, Rate);
bytes(html, #s{stacks = Stacks, node = Node, rate = Rate, base = Base}) ->
    viv_see_flame:page(Stacks, Base, Node, Rate).

show(_, 0) -> ok;
show(Functions, Count) ->
    {Shown, Others} = lists:split(min(?ROWS, length(Functions)), Functions),
    Rows = [io_lib:format("~7.1f% ~7.1f%  ~ts~n", [100 * Self / Count, 100 * Total / Count, Name])
            || {Name, Self, Total} <- Shown],
    More = [io_lib:format("~19c~w more functions~n", [$\s, length(Others)]) || Others =/= []],
    viv_see_out:put(["    self    total\n", Rows, More]).
