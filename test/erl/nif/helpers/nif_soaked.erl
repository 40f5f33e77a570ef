%% The module that test/erl/nif/nif_soak.c is for.
-module(nif_soaked).
-export([load/2, version/0, new/2, look/1, listen/0, many/1, many_dirty/1]).
-nifs([version/0, new/2, look/1, listen/0, many/1, many_dirty/1]).

load(Path, Info) -> erlang:load_nif(Path, Info).

version() -> 0.
new(_, _) -> none.
look(_) -> none.
listen() -> none.
many(_) -> none.
many_dirty(_) -> none.
