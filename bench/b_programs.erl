%% Programs that nobody here wrote, each at work of its own for some tenths of a second: OTP's compiler, linter, parsers
%% and printers, and what Debian packages. A value is the least of five runs, in one process, after one that is not
%% counted; each is run alone, on one scheduler. What is not installed here fails by name.
-module(b_programs).
-export([group/0, benchmarks/0]).

-define(RUNS, 5).
-define(LUERL, "/usr/share/doc/erlang-luerl/examples/benchmark/suites/").
-define(ELIXIR, "/usr/lib/elixir/lib/").

group() -> programs.

benchmarks() ->
    [{"programs: " ++ Name, elapsed, fun() -> least(Program) end} || {Name, Program} <- programs()].

programs() ->
    [{"compile gen_server, sets, io_lib_pretty",
      with(fun() -> sources([gen_server, sets, io_lib_pretty]) end, fun compile/1)},
     {"compile erl_parse to its core", with(fun() -> sources([erl_parse]) end, fun to_core/1)},
     {"epp, erl_scan, erl_parse", with(fun() -> sources([erl_lint, lists, string, ets, gen]) end, fun forms/1)},
     {"erl_lint", with(fun() -> forms(sources([erl_lint, erl_eval, qlc_pt, string, shell])) end, fun lint/1)},
     {"erl_pp", with(fun() -> forms(sources([erl_lint, string])) end, fun print_forms/1)},
     {"erl_prettypr", with(fun() -> forms(sources([gen_server])) end, fun pretty/1)},
     {"yecc of erl_parse.yrl", with(fun() -> grammar(stdlib, "erl_parse.yrl") end, fun yecc/1)},
     {"compiler, dialyzer of sets and dicts", with(fun() -> sources([sets, dict, orddict]) end, fun dialyze/1)},
     {"io_lib_pretty", with(fun() -> forms(sources([sets])) end, fun pretty_term/1)},
     {"erl_eval of a sieve", with(fun() -> expressions(sieve()) end, fun evaluate/1)},
     {"xmerl_scan", with(fun xml/0, fun(Xml) -> xmerl_scan:string(Xml, [{quiet, true}]) end)},
     {"xmerl_sax_parser", with(fun() -> unicode:characters_to_binary(xml()) end, fun sax/1)},
     {"string, unicode_util", with(fun text/0, fun words/1)},
     {"edoc of sets", with(fun() -> source(sets) end, fun edoc/1)},
     {"luerl: accum, sort", with(fun() -> lua(["accum.lua", "sort-simple.lua"]) end, fun run_lua/1)},
     {"luerl: fib", with(fun() -> fib_in_lua() end, fun call_lua/1)},
     {"neotoma of its own grammar", with(fun() -> file("/usr/lib/erlang/lib/neotoma-*/priv/neotoma_parse.peg") end,
                                         fun neotoma_parse:parse/1)},
     {"proper: lists sorted", with(fun() -> property() end, fun quickcheck/1)},
     {"mochijson2", with(fun json/0, fun there_and_back/1)},
     {"mochiweb_html", with(fun html/0, fun mochiweb_html:parse/1)},
     {"idna", with(fun() -> [16#fc, $b, 16#e9, $r | ".example.org"] end,
                   fun(Host) -> times(2000, fun() -> idna:encode(Host, [uts46]) end) end)},
     {"cowlib: headers", with(fun() -> <<"text/html;q=0.8, application/xml;q=0.9, */*;q=0.1">> end,
                              fun(Header) -> times(10000, fun() -> cow_http_hd:parse_accept(Header) end) end)},
     {"jose: sign and verify", with(fun() -> jose_jwk:from_oct(<<"a secret of no great length">>) end, fun jose/1)},
     {"EEx", with(fun eex/0, fun compile_eex/1)},
     {"Elixir: parse", with(fun elixir/0, fun parse_elixir/1)},
     {"Elixir: compile", with(fun elixir/0, fun compile_elixir/1)}].

%% What it works on is made once, and is not counted.
with(Make, Work) ->
    fun() ->
        Made = Make(),
        fun() -> Work(Made) end
    end.

least(Program) ->
    Work = Program(),
    Work(),
    lists:min([microseconds(Work) || _ <- lists:seq(1, ?RUNS)]).

microseconds(Work) ->
    erlang:garbage_collect(),
    Start = erlang:monotonic_time(microsecond),
    Work(),
    erlang:monotonic_time(microsecond) - Start.

times(0, _) -> ok;
times(N, Fun) -> Fun(), times(N - 1, Fun).

%% Sources of OTP.

source(Module) ->
    existing(filename:join([code:lib_dir(stdlib), "src", atom_to_list(Module) ++ ".erl"])).

sources(Modules) -> [source(Module) || Module <- Modules].

grammar(Application, Name) -> existing(filename:join([code:lib_dir(Application), "src", Name])).

existing(File) ->
    case filelib:is_regular(File) of
        true -> File;
        false -> throw({no_file, File})
    end.

file(Pattern) ->
    case filelib:wildcard(Pattern) of
        [File | _] ->
            {ok, Bytes} = file:read_file(File),
            Bytes;
        [] -> throw({no_file, Pattern})
    end.

include() -> [{i, filename:join(code:lib_dir(Application), "include")} || Application <- [kernel, stdlib]].

compile(Sources) -> [{ok, _, _} = compile:file(Source, [binary | include()]) || Source <- Sources].

to_core(Sources) -> [{ok, _, _} = compile:file(Source, [binary, to_core | include()]) || Source <- Sources].

forms(Sources) ->
    [begin
         {ok, Forms} = epp:parse_file(Source, [{includes, [I || {i, I} <- include()]}]),
         Forms
     end || Source <- Sources].

lint(All) -> [erl_lint:module(Forms) || Forms <- All].

print_forms(All) -> [iolist_size(erl_pp:form(Form)) || Forms <- All, Form <- Forms, element(1, Form) =/= eof].

pretty_term(Term) -> iolist_size(io_lib:format("~p", [Term])).

pretty(All) -> [length(erl_prettypr:format(erl_syntax:form_list(Forms))) || Forms <- All].

yecc(Grammar) ->
    Folder = temporary(),
    {ok, _} = yecc:file(Grammar, [{parserfile, filename:join(Folder, "made_parse.erl")}]),
    file:del_dir_r(Folder).

dialyze(Sources) ->
    Folder = temporary(),
    Compiled = [begin
                    {ok, _} = compile:file(Source, [debug_info, {outdir, Folder} | include()]),
                    filename:join(Folder, filename:basename(Source, ".erl") ++ ".beam")
                end || Source <- Sources],
    _ = dialyzer:run([{analysis_type, plt_build}, {files, Compiled}, {output_plt, filename:join(Folder, "plt")}]),
    file:del_dir_r(Folder).

temporary() ->
    Folder = filename:join(os:getenv("TMPDIR", "/tmp"), "b_programs." ++ os:getpid()),
    ok = filelib:ensure_path(Folder),
    Folder.

edoc(Source) -> edoc:get_doc(Source, []).

sieve() ->
    "F = fun F([]) -> []; F([P | Rest]) -> [P | F([N || N <- Rest, N rem P =/= 0])] end, "
    "length(F(lists:seq(2, 1500))).".

expressions(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Expressions} = erl_parse:parse_exprs(Tokens),
    Expressions.

evaluate(Expressions) -> {value, _, _} = erl_eval:exprs(Expressions, #{}).

%% Texts.

xml() ->
    lists:flatten(["<?xml version=\"1.0\"?><shop>",
                   [io_lib:format("<item id=\"i~b\"><name>Thing ~b &amp; more</name><price unit=\"EUR\">~b.99</price>"
                                  "<!-- ~b --></item>", [N, N, N rem 90, N]) || N <- lists:seq(1, 600)], "</shop>"]).

sax(Xml) ->
    Count = fun(_, _, N) -> N + 1 end,
    {ok, _, _} = xmerl_sax_parser:stream(Xml, [{event_fun, Count}, {event_state, 0}]).

text() ->
    Words = [16#c4, "pfel und B\x{e4}ume, \x{3b1}\x{3b2}\x{3b3} e\x{301} "],
    [unicode:characters_to_binary([Words, integer_to_list(N)]) || N <- lists:seq(1, 2000)].

words(Lines) ->
    [[string:length(Line), string:uppercase(Line), string:lexemes(Line, ", "), string:find(Line, "und"),
      string:trim(Line), string:pad(Line, 40)] || Line <- Lines].

json() ->
    iolist_to_binary(["[", lists:join($,, [io_lib:format("{\"id\": ~b, \"name\": \"caf\\u00e9 ~b\", \"price\": ~b.5, "
                                                         "\"tags\": [\"a\", \"b\", null, true]}", [N, N, N])
                                           || N <- lists:seq(1, 2000)]), "]"]).

there_and_back(Json) -> iolist_size(mochijson2:encode(mochijson2:decode(Json))).

html() ->
    iolist_to_binary(["<html><body>", [io_lib:format("<div class=\"c~b\"><p>Text &eacute; ~b<br><b>bold</b></p></div>",
                                                     [N, N]) || N <- lists:seq(1, 800)], "</body></html>"]).

%% Lua, PropEr, JOSE.

lua(Names) -> [luerl_of(file(?LUERL ++ Name)) || Name <- Names].

luerl_of(Text) ->
    {ok, Chunk, State} = luerl:load(Text, luerl:init()),
    {[Returned | _], _} = luerl:call(Chunk, [], State),
    functions(Returned).

functions(Table) when is_list(Table) -> lists:append([functions(Value) || {_, Value} <- Table]);
functions(Function) when is_function(Function) -> [Function];
functions(_) -> [].

run_lua(Suites) ->
    [times(5, fun() -> [Function([]) || Function <- Functions] end) || Functions <- Suites].

fib_in_lua() ->
    {ok, Chunk, State} = luerl:load(<<"local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end "
                                      "local t = {} for i = 1, 2000 do t[i] = (i * 7919) % 2003 end "
                                      "table.sort(t) return fib(18), t[1], #t">>, luerl:init()),
    {Chunk, State}.

call_lua({Chunk, State}) -> luerl:call(Chunk, [], State).

property() ->
    proper:forall(proper_types:list(proper_types:integer()),
                  fun(L) -> Sorted = lists:sort(L), Sorted =:= lists:sort(lists:reverse(Sorted)) end).

quickcheck(Property) -> true = proper:quickcheck(Property, [quiet, {numtests, 500}]).

jose(Key) -> times(300, fun() -> sign_and_verify(Key) end).

sign_and_verify(Key) ->
    {_, Compact} = jose_jws:compact(jose_jwt:sign(Key, #{<<"alg">> => <<"HS256">>}, #{<<"sub">> => <<"x">>})),
    {true, _, _} = jose_jwt:verify(Key, Compact).

%% Elixir.

start_elixir() ->
    [code:add_pathz(?ELIXIR ++ Name ++ "/ebin") || Name <- ["elixir", "eex", "logger"]],
    case application:ensure_all_started(elixir) of
        {ok, _} -> ok;
        {error, Reason} -> throw(Reason)
    end.

eex() ->
    start_elixir(),
    Format = "<p class=\"x~b\"><%= if n > ~b do %>more<% else %>less <%= n * ~b %><% end %></p>~n",
    iolist_to_binary([io_lib:format(Format, [N, N, N]) || N <- lists:seq(1, 150)]).

compile_eex(Template) -> 'Elixir.EEx':compile_string(Template).

elixir() ->
    start_elixir(),
    iolist_to_binary(["defmodule BenchMade do\n  defstruct [:a, b: 1]\n  @doc \"all of them\"\n  @all [1, 2, 3]\n"
                      "  def all, do: @all\n", [function_in_elixir(N) || N <- lists:seq(1, 40)], "end\n"]).

function_in_elixir(N) ->
    io_lib:format("  def f~b(x, %{a: y} = m) when is_integer(x) do\n"
                  "    with {:ok, z} <- Map.fetch(m, :b) do\n"
                  "      Enum.map(@all, fn e -> \"#{e} and #{x}\" <> inspect({y, z, ~b}) end) |> Enum.join(\", \")\n"
                  "    else\n"
                  "      :error -> for i <- 1..x, rem(i, 2) == 0, into: %{}, do: {i, i * ~b}\n"
                  "    end\n"
                  "  end\n\n"
                  "  def f~b(x, _), do: x\n", [N, N, N, N]).

parse_elixir(Source) -> times(20, fun() -> 'Elixir.Code':'string_to_quoted!'(Source) end).

compile_elixir(Source) ->
    'Elixir.Code':compiler_options([{ignore_module_conflict, true}]),
    'Elixir.Code':compile_string(Source).
