%% Elixir compiles and replaces modules while they are used: structs, protocols before and after their consolidation,
%% servers that change their code, macros, on_load, several compilers at once, and its test framework on top.
-module(lib_elixir_reload).
-export([main/0]).

main() ->
    _ = logger:set_primary_config(level, none),
    [true = code:add_patha("/usr/lib/elixir/lib/" ++ L ++ "/ebin") || L <- ["ex_unit", "logger", "elixir"]],
    {ok, _} = application:ensure_all_started(elixir),
    [show(S) || S <- [reload(), server(), protocols(), macros(), created(), on_load(), at_once(), files(), tests()]].

show({Name, Source}) ->
    Result = try element(1, 'Elixir.Code':eval_string(Source))
             catch C:R -> {C, R}
             end,
    io:format("~s: ~ts~n", [Name, 'Elixir.Kernel':inspect(Result)]).

reload() -> {reload, <<"
Code.put_compiler_option(:ignore_module_conflict, true)
source = fn n -> \"\"\"
defmodule Hot do
  defstruct v: #{n}, list: [:a, \\\"text\\\", %{k: {1.5, #{n}}}]
  def v, do: #{n}
  def f(x), do: fn y -> {x, y, v()} end
  def loop(parent) do
    receive do
      :go -> send(parent, {self(), __MODULE__.v()}); __MODULE__.loop(parent)
      :stop -> :stopped
    end
  end
end
\"\"\" end
Code.compile_string(source.(0))
me = self()
pids = for _ <- 1..5, do: spawn_monitor(fn -> apply(Hot, :loop, [me]) end)
seen = for n <- 1..30 do
  :code.purge(Hot)
  [{Hot, binary}] = Code.compile_string(source.(n))
  true = is_binary(binary)
  for {p, _} <- pids, do: send(p, :go)
  vs = for {p, _} <- pids, do: (receive do {^p, v} -> v end)
  {Enum.uniq(vs), apply(Hot, :v, []), struct(Hot).list, apply(Hot, :f, [n]).(n)}
end
for {p, _} <- pids, do: send(p, :stop)
ends = for {p, r} <- pids, do: (receive do {:DOWN, ^r, _, ^p, why} -> why end)
{Enum.take(seen, 2), List.last(seen), ends |> Enum.uniq, :erlang.phash2(seen)}
">>}.

server() -> {server, <<"
source = fn n, change -> \"\"\"
defmodule Keeper do
  use GenServer
  def init(s), do: {:ok, s}
  def handle_call(:get, _, s), do: {:reply, {#{n}, s}, s}
  def handle_call({:put, k, v}, _, s), do: {:reply, :ok, Map.put(s, k, v)}
  def code_change(old, s, extra), do: #{change}
end
\"\"\" end
Code.compile_string(source.(1, \"{:ok, s}\"))
{:ok, p} = GenServer.start_link(Keeper, %{})
:ok = GenServer.call(p, {:put, :a, 1})
first = GenServer.call(p, :get)
changes = for n <- 2..10 do
  :ok = :sys.suspend(p)
  :code.purge(Keeper)
  Code.compile_string(source.(n, \"{:ok, Map.put(s, extra, is_list(old) or old == :undefined)}\"))
  r = :sys.change_code(p, Keeper, :undefined, n)
  :ok = :sys.resume(p)
  {r, GenServer.call(p, :get)}
end
{first, List.last(changes), :sys.get_state(p), GenServer.stop(p)}
">>}.

protocols() -> {protocols, <<"
protocol = \"\"\"
defprotocol Area do
  @fallback_to_any true
  def of(x)
  def unit(x)
end
\"\"\"
Code.compile_string(protocol <> \"\"\"
defimpl Area, for: Any do
  def of(_), do: 0
  def unit(_), do: nil
end
defmodule Sq do
  defstruct [:a]
  defimpl Area do
    def of(s), do: s.a * s.a
    def unit(_), do: :m2
  end
end
defmodule Dv do
  @derive Area
  defstruct [:x]
end
\"\"\")
p = :\"Elixir.Area\"
before = {Protocol.consolidated?(p), p.of(struct(:\"Elixir.Sq\", a: 3)), p.of(7), p.impl_for([]),
          p.of(struct(:\"Elixir.Dv\"))}
dir = System.tmp_dir!() <> \"/viv_ex_\" <> System.pid()
File.mkdir_p!(dir)
for {m, b} <- Code.compile_string(protocol), do: File.write!(dir <> \"/#{m}.beam\", b)
Code.prepend_path(dir)
:code.purge(p); :code.delete(p); :code.purge(p)
{:module, _} = Code.ensure_loaded(p)
{:ok, consolidated} = Protocol.consolidate(p, [:\"Elixir.Sq\", Any])
{:module, _} = :code.load_binary(p, 'area', consolidated)
later = {Protocol.consolidated?(p), p.__protocol__(:impls), p.of(struct(:\"Elixir.Sq\", a: 4)), p.impl_for([])}
File.rm_rf!(dir)
message = try do Enumerable.impl_for!(1) rescue e in Protocol.UndefinedError -> Exception.message(e) end
{before, later, message}
">>}.

macros() -> {macros, <<"
Code.compile_string(\"\"\"
defmodule Mac do
  defmacro __using__(o) do
    quote do
      @before_compile unquote(__MODULE__)
      Module.register_attribute(__MODULE__, :item, accumulate: true)
      @o unquote(o)
      import unquote(__MODULE__)
    end
  end
  defmacro item(n, do: b) do
    quote do
      @item unquote(n)
      def unquote(n)(), do: unquote(b)
    end
  end
  defmacro __before_compile__(e) do
    items = Module.get_attribute(e.module, :item)
    quote do: def items, do: {unquote(items), @o}
  end
end
\"\"\")
m = for n <- 1..5 do
  :code.purge(Usr)
  Code.compile_string(\"\"\"
  defmodule Usr do
    use Mac, k: #{n}
    item :one do #{n} end
    item :two do one() + 1 end
  end
  \"\"\")
  {apply(Usr, :items, []), apply(Usr, :two, [])}
end
bad = for s <- [\"defmodule B1 do def f(, do: 1 end\", \"defmodule B2 do def f, do: nope() end\",
                \"defmodule B3 do raise \\\"x\\\" end\", \"x = \"] do
  try do Code.compile_string(s) rescue e -> e.__struct__ end
end
{m, bad, :code.is_loaded(B2), :code.is_loaded(B3)}
">>}.

created() -> {created, <<"
rs = for n <- 1..20 do
  :code.purge(Made); :code.delete(Made); :code.purge(Made)
  {:module, Made, b, _} = Module.create(Made, (quote bind_quoted: [n: n] do
    def v, do: unquote(n)
    for {k, i} <- Enum.with_index([:a, :b, :c]) do
      def get(unquote(k)), do: unquote(i) + unquote(n)
    end
  end), Macro.Env.location(__ENV__))
  {apply(Made, :v, []), apply(Made, :get, [:c]), is_binary(b), function_exported?(Made, :get, 1)}
end
{List.last(rs), length(rs), Code.ensure_loaded?(Made), Code.ensure_loaded(NoSuch), Code.ensure_compiled(NoSuch)}
">>}.

on_load() -> {on_load, <<"
f = fn {n, body} -> \"\"\"
defmodule Onl do
  @on_load :start
  def start, do: #{body}
  def v, do: #{n}
end
\"\"\" end
for {n, _} = v <- [{0, \":no\"}, {1, \":ok\"}, {2, \":no\"}, {3, \"raise \\\"x\\\"\"}, {4, \":ok\"}] do
  :code.purge(Onl)
  got = (try do Code.compile_string(f.(v)) |> length() rescue e -> e.__struct__ catch k, v -> {k, v} end)
  {n, got, (try do apply(Onl, :v, []) rescue e -> e.__struct__ end)}
end
">>}.

at_once() -> {at_once, <<"
1..12 |> Task.async_stream(fn n ->
  for i <- 1..5 do
    m = Module.concat(Par, \"M#{n}\")
    :code.purge(m)
    Code.compile_string(\"\"\"
    defmodule #{inspect(m)} do
      def v, do: {#{n}, #{i}}
      def e, do: Enum.map(1..#{n}, &(&1 * #{i}))
    end
    \"\"\")
    {m.v(), Enum.sum(m.e())}
  end |> List.last()
end, max_concurrency: 6, timeout: 60000) |> Enum.map(&elem(&1, 1))
">>}.

files() -> {files, <<"
dir = System.tmp_dir!() <> \"/viv_ex_files_\" <> System.pid()
File.mkdir_p!(dir <> \"/ebin\")
for {n, dep} <- [{1, nil}, {2, 1}, {3, 2}, {4, 1}] do
  File.write!(dir <> \"/f#{n}.ex\", \"\"\"
  defmodule F#{n} do
    def v, do: [#{n} | #{if dep, do: \"F#{dep}.v()\", else: \"[]\"}]
    #{if dep, do: \"@x F#{dep}.v()\"}
    #{if dep, do: \"def x, do: @x\"}
  end
  \"\"\")
end
sources = Enum.map([3, 4, 2, 1], &(dir <> \"/f#{&1}.ex\"))
{:ok, mods, []} = Kernel.ParallelCompiler.compile_to_path(sources, dir <> \"/ebin\")
for m <- mods, do: (:code.purge(m); :code.delete(m); :code.purge(m))
Code.append_path(dir <> \"/ebin\")
r = {Enum.sort(mods), apply(F3, :v, []), apply(F3, :x, []), apply(F4, :x, []),
     Path.basename(to_string(:code.which(F3))), length(:code.modified_modules())}
File.rm_rf!(dir)
r
">>}.

tests() -> {tests, <<"
{:ok, _} = Application.ensure_all_started(:ex_unit)
ExUnit.start(autorun: false, formatters: [], seed: 0)
Code.compile_string(\"\"\"
defmodule SomeTest do
  use ExUnit.Case, async: true
  setup do
    {:ok, a: 1}
  end
  for n <- 1..20 do
    test \"number \\#{n}\", %{a: a} do
      assert unquote(n) * a == unquote(n)
    end
  end
  test \"fails\" do
    assert %{a: 1} == %{a: 2}
  end
  test \"raises\" do
    assert_raise ArithmeticError, fn -> 1 / String.length(\\\"\\\") end
  end
  test \"receives\" do
    send(self(), {:hello, 1})
    assert_receive {:hello, n} when n > 0
    refute_received :other
  end
  @tag :skip
  test \"skipped\", do: flunk(\\\"no\\\")
end
defmodule OtherTest do
  use ExUnit.Case
  test \"supervised\" do
    pid = start_supervised!({Agent, fn -> 5 end})
    assert Agent.get(pid, & &1) == 5
  end
end
\"\"\")
ExUnit.run()
">>}.
