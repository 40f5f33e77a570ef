%% Modules are loaded until there is no room for code, then all their functions are called, until there is none for
%% native code: all that are there work, and when they go, there is room again.
-module(native_room).
-export([main/0, take_low/0, take_mappings/0, give/0]).
-on_load(init/0).

-define(FUNCTIONS, 300).
-define(MOST, 300).

init() -> erlang:load_nif("./native_room", 0).
take_low() -> erlang:nif_error(no_library).
take_mappings() -> erlang:nif_error(no_library).
give() -> erlang:nif_error(no_library).

main() ->
    Beam = beam(),
    [{module, M} = code:ensure_loaded(M) || M <- [erl_error, erl_erts_errors, io_lib_pretty, logger_formatter,
                                                  proc_lib, string, unicode_util]],
    {module, _} = load(Beam, 1),
    forget(1),
    io:format("~s: ~w~n", ["begins", true]),
    take_low() > 0 orelse exit(nothing_taken),
    Loaded = load_all(Beam, 0),
    io:format("some: ~w~n", [Loaded > 3 andalso Loaded < ?MOST]),
    say(Loaded, "works"),
    ok = traced(1),
    ok = traced(Loaded),
    [forget(N) || N <- lists:seq(2, Loaded)],
    Again = load_all(Beam, 1),
    io:format("again: ~w~n", [Again >= Loaded - 1]),
    say(Again, "works again"),
    [forget(N) || N <- lists:seq(1, Again)],
    give(),
    io:format("all: ~w~n", [load_all(Beam, 0)]),
    say(?MOST, "has room"),
    [forget(N) || N <- lists:seq(1, ?MOST)],
    {module, _} = load(Beam, 1),
    take_mappings() > 1000 orelse exit(nothing_taken),
    [begin {module, _} = load(Beam, 2), ok = traced(1), ok = traced(2), forget(2) end || _ <- lists:seq(1, 5)],
    give(),
    io:format("done~n").

say(Loaded, What) ->
    Right = [N || N <- lists:seq(1, Loaded), works(N)],
    io:format("~s: ~w~n", [What, Right =:= lists:seq(1, Loaded)]).

works(N) ->
    Module = module(N),
    [] = [F || F <- lists:seq(2, ?FUNCTIONS), Module:(list_to_atom("f" ++ integer_to_list(F)))(40) =/= 41],
    Module:f1(40) =:= lists:sum(lists:seq(1, 20)) + 40 + 41.

traced(N) ->
    Module = module(N),
    Self = self(),
    Caller = spawn(fun() -> caller(Module, Self) end),
    1 = erlang:trace(Caller, true, [call]),
    true = erlang:trace_pattern({Module, '_', '_'}, true, [local]) >= ?FUNCTIONS,
    Caller ! call,
    [receive {trace, Caller, call, {Module, F, [40]}} -> ok after 60000 -> exit({no_event, F}) end || F <- [f1, f2]],
    receive returned -> ok end,
    erlang:trace_pattern({Module, '_', '_'}, false, [local]),
    Caller ! call,
    receive returned -> ok end,
    receive {trace, _, _, _} = Other -> exit(Other) after 0 -> ok end.

caller(Module, Parent) ->
    receive call -> Module:f1(40) end,
    Parent ! returned,
    caller(Module, Parent).

load_all(_, ?MOST) -> ?MOST;
load_all(Beam, N) ->
    case load(Beam, N + 1) of
        {module, _} -> load_all(Beam, N + 1);
        {error, badfile} -> N
    end.

load(Beam, N) ->
    Module = module(N),
    code:load_binary(Module, "made", binary:replace(Beam, <<"made_000">>, atom_to_binary(Module))).

forget(N) -> true = code:delete(module(N)), false = code:purge(module(N)).

module(N) -> list_to_atom(lists:flatten(io_lib:format("made_~3..0b", [N]))).

%% f1 calls f2, and that is all; the others take room, more of it as native code than as words.
beam() ->
    Text = ["-module(made_000).\n-export([f1/1]).\n", "f1(X) -> Y = f2(X), ", sum(20), " + X + Y.\n"] ++
        [io_lib:format("f~w(X) -> ~s.\n", [N, body(N)]) || N <- lists:seq(2, ?FUNCTIONS)],
    Exports = io_lib:format("-export([~s]).\n", [lists:join(", ", [io_lib:format("f~w/1", [N])
                                                                    || N <- lists:seq(2, ?FUNCTIONS)])]),
    {ok, made_000, Beam} = compile:forms(forms([hd(Text), Exports | tl(Text)]), [binary]),
    Beam.

sum(N) -> lists:join(" + ", [integer_to_list(I) || I <- lists:seq(1, N)]).

body(2) -> "X + 1";
body(N) ->
    io_lib:format("case X of [A | B] -> (A + ~w) - (B + X) + (A - B) - (X - A) + (B - X); _ -> f2(X) end", [N]).

forms(Text) -> forms(lists:flatten(Text), 1).

forms(Text, Line) ->
    case erl_scan:tokens([], Text, Line) of
        {done, {ok, Tokens, Next}, Rest} -> {ok, Form} = erl_parse:parse_form(Tokens), [Form | forms(Rest, Next)];
        _ -> []
    end.
