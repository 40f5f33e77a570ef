%% Elixir as Debian has it: its compiler, macros, protocols, processes and library, on source that is compiled here.
-module(lib_elixir).
-export([main/0]).

main() ->
    [true = code:add_patha("/usr/lib/elixir/lib/" ++ L ++ "/ebin") || L <- ["eex", "logger", "elixir"]],
    {ok, _} = application:ensure_all_started(elixir),
    {Result, _} = 'Elixir.Code':eval_string(source()),
    [io:format("~ts~n", ['Elixir.Kernel':inspect(R)]) || R <- tuple_to_list(Result)],
    io:format("~ts", ['Elixir.EEx':eval_string(<<"<%= for i <- 1..n do %>line <%= i %>\n<% end %>">>, [{n, 3}])]).

source() -> <<"
defmodule Counter do
  use GenServer
  defstruct [:name, step: 2]
  def start(n), do: GenServer.start_link(__MODULE__, n)
  def init(n), do: {:ok, n}
  def handle_call({:add, n}, _from, s), do: {:reply, s + n, s + n}
  defmacro twice(e), do: quote(do: unquote(e) * 2)
end
defprotocol Size do
  def of(x)
end
defimpl Size, for: BitString do
  def of(s), do: byte_size(s)
end
defimpl Size, for: [Map, List] do
  def of(x), do: Enum.count(x)
end
defmodule User do
  require Counter
  def twice(x), do: Counter.twice(x)
  def sum(l), do: l |> Enum.map(& &1 * 2) |> Enum.filter(&rem(&1, 3) == 0) |> Enum.sum()
  def with_else(m), do: (with {:ok, a} <- Map.fetch(m, :a), true <- a > 1, do: {:big, a}, else: (other -> {:no, other}))
end
{:ok, p} = Counter.start(5)
{GenServer.call(p, {:add, 3}), User.twice(21), User.sum(1..100), struct(Counter, name: 1),
 Enum.group_by(1..10, &rem(&1, 3)), String.upcase(\"strasse\"), inspect(%{\"k\" => 1.5, a: [1, {2, 3}]}, pretty: true),
 Regex.run(~r/(\\d+)-(\\w+)/, \"ab 12-xy\"), Stream.iterate(1, &(&1 * 3)) |> Enum.take(8),
 for(x <- 1..3, y <- [:a, :b], do: {x, y}), Date.diff(~D[2024-03-01], ~D[2023-02-28]),
 Task.async_stream(1..20, fn x -> x * x end) |> Enum.map(fn {:ok, v} -> v end) |> Enum.sum(),
 (try do raise ArgumentError, \"x\" rescue e -> Exception.message(e) end),
 {Size.of(\"abc\"), Size.of([1, 2]), Size.of(%{a: 1})}, User.with_else(%{a: 2}), User.with_else(%{}),
 Agent.start_link(fn -> %{} end) |> elem(1) |> Agent.get_and_update(fn s -> {map_size(s), Map.put(s, :k, 1)} end),
 String.graphemes(\"noe\\u0308l\"), :erlang.phash2(Enum.map(1..1000, &Integer.to_string(&1, 36)))}
">>.
