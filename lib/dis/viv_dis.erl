%% viv dis: what becomes of a module's code. For each instruction of the file, as stock's beam_disasm reads it, those
%% that the loader made of it, and the machine code of these. The module is prepared here (viv_dis_code), and given up
%% again: nothing of it is run. Machine code becomes text by objdump, a program of binutils: a library for that would be
%% part of every runtime, for a command that few need.
-module(viv_dis).
-export([run/1, help/0, options/0]).

-define(LEFT, 38).
-define(MIDDLE, 44).

help() ->
    "viv dis [options] MODULE[:FUNCTION[/ARITY]]|FILE [FUNCTION[/ARITY]]\n"
    "\n"
    "Shows what becomes of a module's code, of all functions or of those of this name: on the left the\n"
    "instructions of the file, beside each those that the loader made of it with their operands, and the machine\n"
    "code of these. @N is a place in the code, by the number that stands before an instruction; [N] are N words\n"
    "that follow it. In brackets stands which template an instruction's machine code is from, with a letter for\n"
    "each operand; `written`, where there is none; `inside`, where code that was written for one before does it; or\n"
    "`interpreter`, where that does it. Slow ends stand behind all code; they are shown where they are reached from.\n"
    "\n"
    "  -pa DIR          look for modules in this directory first; of several the last one is first\n"
    "  --interpreted    without machine code: as code is with +JIT false\n"
    "  --intel          machine code as Intel writes it\n"
    "  --objdump PROG   what makes text of machine code (objdump, of binutils)\n".

options() -> #{"-pa" => {many, folder}, "--interpreted" => flag, "--intel" => flag, "--objdump" => file}.

run(Arguments) ->
    {Options, Words} = viv_see_options:parse(Arguments, options()),
    case Words of
        [Name] -> show_named(Name, Options);
        [Name, Function] -> show(Name, wanted(Function), Options);
        _ -> throw({usage, "which module?"})
    end.

show_named(Name, Options) ->
    case string:split(Name, ":") of
        [Module, Function] when Module =/= "", Function =/= "" ->
            case filelib:is_regular(Name) of
                false -> show(Module, wanted(Function), Options);
                true -> show(Name, all, Options)
            end;
        _ -> show(Name, all, Options)
    end.

wanted(Text) ->
    case string:split(Text, "/", trailing) of
        [Name, Arity] when Arity =/= "" ->
            case string:to_integer(Arity) of
                {N, ""} when is_integer(N) -> {Name, N};
                _ -> {Text, any}
            end;
        _ -> {Text, any}
    end.

show(Name, Wanted, Options) ->
    Beam = beam(Name, lists:reverse([Dir || {"-pa", Dir} <- Options])),
    {Module, Functions} = disassembled(Name, Beam),
    Chosen = [F || F = {function, N, A, _, _} <- Functions, is_wanted(Wanted, atom_to_list(N), A)],
    Chosen =/= [] orelse fail("~ts has no such function", [Name]),
    IsNative = not proplists:get_bool("--interpreted", Options),
    {Instructions, Origins, Native} = listing(Name, Module, Beam, IsNative),
    length(Origins) =:= lists:sum([length(Code) || {function, _, _, _, Code} <- Functions]) + 1
        orelse fail("~ts: its instructions are not those that beam_disasm reads", [Name]),
    IsNative andalso Native =:= false andalso
        complain("there is no native code here: a build with sanitizers, or the system forbids it"),
    Machine = machine(Native, Options),
    Known = {array:from_list(Instructions), Origins},
    put_functions(Functions, Known, Machine, [{N, A} || {function, N, A, _, _} <- Chosen]).

is_wanted(all, _, _) -> true;
is_wanted({Name, any}, Name, _) -> true;
is_wanted({Name, Arity}, Name, Arity) -> true;
is_wanted(_, _, _) -> false.

%% --- the file ---

%% A word with a folder in it, or with the extension, is a file if there is one; any other first of all a module.
beam(Name, Dirs) ->
    IsFile = filename:extension(Name) =:= ".beam" orelse
        (filename:basename(Name) =/= Name andalso filelib:is_regular(Name)),
    Read = case IsFile of
               true -> file:read_file(Name);
               false -> by_name(Name, Dirs)
           end,
    case Read of
        {ok, Beam} -> viv_code:unpacked(Beam);
        {error, Why} -> fail("~ts: ~ts", [Name, file:format_error(Why)])
    end.

by_name(Name, Dirs) ->
    Found = [Path || Dir <- Dirs, Path <- [filename:join(Dir, Name ++ ".beam")], filelib:is_regular(Path)],
    case {Found, code:where_is_file(Name ++ ".beam")} of
        {[Path | _], _} -> file:read_file(Path);
        {[], Path} when is_list(Path) -> file:read_file(Path);
        {[], non_existing} -> own(Name)
    end.

%% Those that the runtime has with it.
own(Name) ->
    case catch erl_prim_loader:get_file(Name ++ ".beam") of
        {ok, Beam, _} -> {ok, Beam};
        _ -> case filelib:is_regular(Name) of
                 true -> file:read_file(Name);
                 false -> {error, enoent}
             end
    end.

disassembled(Name, Beam) ->
    try beam_disasm:file(Beam) of
        {beam_file, Module, _, _, _, Functions} -> {Module, Functions};
        {error, beam_lib, Why} -> fail("~ts is not the file of a module (~w)", [Name, element(1, Why)]);
        {error, beam_disasm, _} ->
            fail("~ts: beam_disasm of OTP ~ts cannot read it. Files of a later release want the libraries of that one: "
                 "VIV_OTP_ROOT names them", [Name, erlang:system_info(otp_release)])
    catch
        _:_ -> fail("~ts: the file is damaged: beam_disasm cannot read it", [Name])
    end.

%% --- what the loader made of it ---

-record(i, {word, text, at = none, size = 0, template, ends = none}).

listing(Name, Module, Beam, IsNative) ->
    case viv_dis_code:listing(Module, Beam, IsNative) of
        {ok, {Text, Native}} ->
            {Instructions, Origins} = lines(binary:split(Text, <<"\n">>, [global]), [], []),
            {Instructions, Origins, Native};
        {error, Why} -> fail("~ts: ~ts", [Name, Why])
    end.

lines([Line | Lines], Is, Os) ->
    case binary:split(Line, <<"\t">>, [global]) of
        [<<"o">>, <<"-">>] -> lines(Lines, Is, [none | Os]);
        [<<"o">>, Word] -> lines(Lines, Is, [binary_to_integer(Word) | Os]);
        [<<"i">>, Word, Insn | Operands] ->
            Text = lists:append([text(Insn) | [[$\s | text(O)] || O <- Operands]]),
            lines(Lines, [#i{word = binary_to_integer(Word), text = Text} | Is], Os);
        [<<"n">>, At, Size, Template] ->
            I = (hd(Is))#i{at = binary_to_integer(At), size = binary_to_integer(Size), template = Template},
            lines(Lines, [I | tl(Is)], Os);
        [<<"x">>, At, Size] ->
            I = (hd(Is))#i{ends = {binary_to_integer(At), binary_to_integer(Size)}},
            lines(Lines, [I | tl(Is)], Os);
        [<<>>] -> lines(Lines, Is, Os)
    end;
lines([], Is, Os) -> {lists:reverse(Is), lists:reverse(Os)}.

%% Strings have a byte for each character, names are UTF-8.
text(Bytes) ->
    case unicode:characters_to_list(Bytes) of
        Text when is_list(Text) -> Text;
        _ -> binary_to_list(Bytes)
    end.

%% --- machine code ---

%% By bytes from the start: the text of each machine instruction.
machine(false, _) -> false;
machine({Address, Code}, Options) ->
    Program = proplists:get_value("--objdump", Options, "objdump"),
    Path = os:find_executable(Program),
    Path =/= false orelse
        fail("there is no ~ts, which makes text of machine code: it is in the package binutils (or --interpreted)",
             [Program]),
    File = filename:join("/tmp", "viv_dis-" ++ os:getpid() ++ ".code"),
    ok = write(File, Code),
    Style = case proplists:get_bool("--intel", Options) of true -> "intel"; false -> "att" end,
    Arguments = ["-D", "-z", "-b", "binary", "-m", "i386:x86-64", "-M", Style, "--no-show-raw-insn",
                 "--adjust-vma=" ++ integer_to_list(Address), File],
    try machine_lines(output(Path, Arguments), Address) after file:delete(File) end.

write(File, Code) ->
    _ = file:delete(File),
    case file:write_file(File, Code, [exclusive]) of
        ok -> ok;
        {error, Why} -> fail("~ts: ~ts", [File, file:format_error(Why)])
    end.

output(Path, Arguments) ->
    Port = open_port({spawn_executable, Path}, [{args, Arguments}, binary, exit_status, stderr_to_stdout]),
    output(Path, Port, []).

output(Path, Port, So) ->
    receive
        {Port, {data, More}} -> output(Path, Port, [So, More]);
        {Port, {exit_status, 0}} -> iolist_to_binary(So);
        {Port, {exit_status, Status}} -> fail("~ts ended with status ~w:~n~ts", [Path, Status, So])
    end.

machine_lines(Output, Address) ->
    Lines = [machine_line(Line) || Line <- binary:split(Output, <<"\n">>, [global])],
    {Address, array:from_orddict([{At - Address, Text} || {At, Text} <- Lines], none)}.

machine_line(Line) ->
    case binary:split(Line, <<":\t">>) of
        [At, Text] -> {binary_to_integer(string:trim(At), 16), spaced(string:trim(Text))};
        _ -> none
    end.

spaced(Text) -> re:replace(Text, "[ \t]+", " ", [global, {return, list}]).

%% Text of the machine instructions from there on. Where one does not end there, nobody could tell what it is.
machine_text(false, _, _) -> [];
machine_text({Address, Texts}, At, Size) ->
    [io_lib:format("~.16b  ~ts", [Address + N, Text])
     || N <- lists:seq(At, At + Size - 1), Text <- [array:get(N, Texts)], Text =/= none].

%% --- the page ---

put_functions([{function, Name, Arity, _, Code} | Functions], {Instructions, Origins}, Machine, Wanted) ->
    {Own, Rest} = lists:split(length(Code), Origins),
    _ = [put_function(Name, Arity, lists:zip(Code, Own), hd(starts(Rest)), Instructions, Machine)
         || lists:member({Name, Arity}, Wanted)],
    put_functions(Functions, {Instructions, Rest}, Machine, Wanted);
put_functions([], _, _, _) -> ok.

starts(Origins) -> [Word || Word <- Origins, Word =/= none].

put_function(Name, Arity, Code, End, Instructions, Machine) ->
    viv_see_out:put([io_lib:format("~tw/~w~n", [Name, Arity]), code(Code, End, Instructions, Machine), $\n]).

code([{Generic, Start} | Code], End, Instructions, Machine) ->
    Left = wrapped(generic(Generic), ?LEFT),
    Next = hd(starts([Word || {_, Word} <- Code]) ++ [End]),
    Right = case Start of
                none -> [];
                _ -> lists:append([instruction(I, Machine) || I <- between(Start, Next, Instructions)])
            end,
    [page_rows(Left, Right) | code(Code, End, Instructions, Machine)];
code([], _, _, _) -> [].

between(Start, Next, Instructions) ->
    between(first(Start, 0, array:size(Instructions), Instructions), Start, Next, Instructions).
between(N, Start, Next, Instructions) ->
    case N < array:size(Instructions) andalso array:get(N, Instructions) of
        I = #i{word = Word} when Word < Next -> [I | between(N + 1, Start, Next, Instructions)];
        _ -> []
    end.

%% The first one at or behind this word.
first(_, N, N, _) -> N;
first(Word, Low, High, Instructions) ->
    Middle = (Low + High) div 2,
    case array:get(Middle, Instructions) of
        #i{word = W} when W < Word -> first(Word, Middle + 1, High, Instructions);
        _ -> first(Word, Low, Middle, Instructions)
    end.

%% Rows of two columns.
instruction(I = #i{word = Word, text = Text}, Machine) ->
    Shown = wrapped(io_lib:format("~w: ~ts~ts", [Word, Text, template(I)]), ?MIDDLE),
    beside(Shown, machine_text(Machine, I#i.at, I#i.size) ++ ends(I#i.ends, Machine)).

template(#i{template = undefined}) -> "";
template(#i{template = Template}) -> [" [", string:trim(Template), "]"].

ends(none, _) -> [];
ends({At, Size}, Machine) -> ["slow ends:" | machine_text(Machine, At, Size)].

beside([], []) -> [];
beside(As, Bs) -> [{row(As), row(Bs)} | beside(rest(As), rest(Bs))].

row([]) -> "";
row([A | _]) -> A.

rest([]) -> [];
rest([_ | As]) -> As.

page_rows([], []) -> [];
page_rows(Left, Right) ->
    {Middle, Last} = case row(Right) of "" -> {"", ""}; Two -> Two end,
    Line = [string:pad(row(Left), ?LEFT), "  ", string:pad(Middle, ?MIDDLE), "  ", Last],
    ["  ", string:trim(unicode:characters_to_list(Line), trailing), $\n | page_rows(rest(Left), rest(Right))].

generic(Generic) -> io_lib:format("~0tp", [plain(Generic)]).

%% Types of registers are not used: they are not shown.
plain({tr, Register, _}) -> plain(Register);
plain(T) when is_tuple(T) -> list_to_tuple([plain(E) || E <- tuple_to_list(T)]);
plain([H | T]) -> [plain(H) | plain(T)];
plain(T) -> T.

%% Lines of at most so many characters; those after the first begin with spaces.
wrapped(Text, Width) -> wrapped_list(unicode:characters_to_list(Text), Width).

wrapped_list(Text, Width) ->
    case string:length(Text) =< Width of
        true -> [Text];
        false ->
            Cut = cut(lists:sublist(Text, Width), Width),
            {Line, Rest} = lists:split(Cut, Text),
            [Line | wrapped_list("  " ++ string:trim(Rest, leading), Width)]
    end.

%% Behind the last comma or space, if that leaves more than half of a line.
cut(Line, Width) ->
    case [N || {C, N} <- lists:zip(Line, lists:seq(1, Width)), C =:= $, orelse C =:= $\s, N > Width div 2] of
        [] -> Width;
        Places -> lists:last(Places)
    end.

complain(Text) -> viv_see_out:say("dis", Text).

-spec fail(string(), [term()]) -> no_return().
fail(Format, Arguments) -> throw({see, io_lib:format(Format, Arguments)}).
