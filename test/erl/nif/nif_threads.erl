%% Threads and locks of native libraries.
-module(nif_threads).
-export([main/0]).
-nifs([create/1, identity/0, dirty_identity/0, names/0, turns/1, try_locks/0, readers_and_writers/1, thread_data/0,
       many_keys/0, many_threads/1]).
-include("n.hrl").

main() ->
    ok = erlang:load_nif(library("nif_threads"), 0),
    check(create, fun create/1, [[N] || N <- [-1, 0, 1, 16, 64, 1024]]),
    t(identity, fun identity/0),
    t(dirty_identity, fun dirty_identity/0),
    t(names, fun names/0),
    check(turns, fun turns/1, [[1], [300]]),
    t(try_locks, fun try_locks/0),
    check(readers_and_writers, fun readers_and_writers/1, [[10], [1000]]),
    t(thread_data, fun thread_data/0),
    t(thread_data_again, fun thread_data/0),
    t(many_keys, fun many_keys/0),
    check(many_threads, fun many_threads/1, [[1], [200]]).

create(_) -> erlang:nif_error(not_loaded).
identity() -> erlang:nif_error(not_loaded).
dirty_identity() -> erlang:nif_error(not_loaded).
names() -> erlang:nif_error(not_loaded).
turns(_) -> erlang:nif_error(not_loaded).
try_locks() -> erlang:nif_error(not_loaded).
readers_and_writers(_) -> erlang:nif_error(not_loaded).
thread_data() -> erlang:nif_error(not_loaded).
many_keys() -> erlang:nif_error(not_loaded).
many_threads(_) -> erlang:nif_error(not_loaded).
