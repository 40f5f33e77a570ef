%% The library of the storm that stays loaded; storm_native makes storm_lib of this source too, which comes and goes.
-module(storm_lib_kept).
-export([start/0, echo/1, slow/2, slow_cpu/2, slow_io/2, in_parts/3, make/0, is_whole/1, watch/2, unwatch/1,
         select_read/3, write_byte/1, cancel/1, stop/1, send_by_thread/3, figures/0]).
-nifs([echo/1, slow/2, slow_cpu/2, slow_io/2, in_parts/3, make/0, is_whole/1, watch/2, unwatch/1, select_read/3,
       write_byte/1, cancel/1, stop/1, send_by_thread/3, figures/0]).

start() -> erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0).

echo(_) -> erlang:nif_error(not_loaded).
slow(_, _) -> erlang:nif_error(not_loaded).
slow_cpu(_, _) -> erlang:nif_error(not_loaded).
slow_io(_, _) -> erlang:nif_error(not_loaded).
in_parts(_, _, _) -> erlang:nif_error(not_loaded).
make() -> erlang:nif_error(not_loaded).
is_whole(_) -> erlang:nif_error(not_loaded).
watch(_, _) -> erlang:nif_error(not_loaded).
unwatch(_) -> erlang:nif_error(not_loaded).
select_read(_, _, _) -> erlang:nif_error(not_loaded).
write_byte(_) -> erlang:nif_error(not_loaded).
cancel(_) -> erlang:nif_error(not_loaded).
stop(_) -> erlang:nif_error(not_loaded).
send_by_thread(_, _, _) -> erlang:nif_error(not_loaded).
figures() -> erlang:nif_error(not_loaded).
