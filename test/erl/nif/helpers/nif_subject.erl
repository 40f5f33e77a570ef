%% The module that test/erl/nif/nif_library.c is for. It is loaded, replaced and purged by nif_library.erl.
-module(nif_subject).
-export([load/2, version/0, data/0, new/1, new_second/1, look/1, erlang_only/0]).
-nifs([version/0, data/0, new/1, new_second/1, look/1]).

load(Path, Info) -> erlang:load_nif(Path, Info).

erlang_only() -> fine.
version() -> not_native.
data() -> not_native.
new(_) -> not_native.
new_second(_) -> not_native.
look(_) -> not_native.
