%% The module of the library nif_unload_thread.c.
-module(nif_unloaded).
-export([load/2, data/0, set_option/0, object/0, is_object/1, normal/0, cpu/0, io/0, told/1]).
-nifs([data/0, set_option/0, object/0, is_object/1, normal/0, cpu/0, io/0, told/1]).

load(Path, Info) -> erlang:load_nif(Path, Info).
%% What an instance's callbacks count up: an address, and what is there.
data() -> erlang:nif_error(not_loaded).
told(_) -> erlang:nif_error(not_loaded).
%% Out of place.
set_option() -> erlang:nif_error(not_loaded).
object() -> erlang:nif_error(not_loaded).
is_object(_) -> erlang:nif_error(not_loaded).
%% Each gives its thread something of its own.
normal() -> erlang:nif_error(not_loaded).
cpu() -> erlang:nif_error(not_loaded).
io() -> erlang:nif_error(not_loaded).
