%% What the parts of the storm share. A part exports actions(), a list of {Name, fun() -> ...}: what a worker does at
%% once, at random, and may be killed in at any time. What cannot be wrong whatever the timing is matched: a badmatch is
%% a failure. badarg is none: whom it concerned may be gone.
-define(WORKERS, 16).
-define(SERVERS, 4).

-define(MODULES, [storm_m1, storm_m2, storm_m3, storm_m4]).
-define(VERSIONS, 3).
-define(COUNTERS, 8). % in the shared tables
-define(TABLES, [storm_set, storm_tree, storm_bag, storm_shared_set, storm_shared_tree]).
