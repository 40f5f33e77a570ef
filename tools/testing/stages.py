"""What a run consists of: stages, each of one build, and their jobs."""

import os
import re

from testing.builds import TEMPLATES, templates_build
from testing.cluster import cluster_tests
from testing.erlang import erl_tests, eunit_tests, leak_tests
from testing.fuzz import fuzz_tests
from testing.generated import generated_tests
from testing.presets import TOP, build_folder
from testing.runs import Job, selected
from testing.scenarios import scenarios, seeing
from testing.storm import storm_tests
from testing.units import models, unit_tests
from testing.watched import run_counting

# The deep run: what finds most comes first.
DEEP = [("release", "tidy,unit,model,erl,regress,eunit,gen"), ("release", "scenario,cluster,storm,viewers,systems"),
        ("asan", "unit,erl,regress,eunit,gen,seeing,storm"), ("tsan", "unit,erl,regress,eunit,seeing,storm"),
        ("release", "stress"),
        ("delay", "unit,erl,regress,storm"), ("map", "regress"), ("map_asan", "regress"),
        ("map_torture", "regress"), ("release", "leaks"), ("torture", "unit,erl,regress"),
        ("interpreted", "erl,regress,eunit,gen,cluster,storm"), ("interpreted_torture", "erl,regress"),
        ("give_away", "erl,regress"), ("fuzz", "fuzz"), ("debug", "unit,erl,regress,eunit,storm")]
DEEP_STORM_MINUTES = 5  # in each of its stages
STRESSED = ["test/erl/" + folder for folder in ("nif", "code", "trace", "process", "ets")]
# Programs of test/regress that ask functions, drivers and threads in C: what they look for is the same whichever engine
# calls these. They run interpreted in the deep run, and where a NAME is given.
IN_C = re.compile(r"r_(accept_times|checksum_|compressed_code|damaged_files|decode_|deep_names|dirty_|eldap|encoded_|"
                  r"equal_terms|etf_|ets_|external_size|fair_turns|fd_reused|file_|gen_tcp_|inet_|inflate_|"
                  r"iolist_size|kept_literals|kernel_poll|killed_midway|large_collections|large_counters|"
                  r"large_map_order|links_ports|literal_memory|load_beside_natives|no_driver|no_file_|no_listing|"
                  r"order_terms|os_sup|phash2_|ports?_|prim_loader|processes_|purge_sleepers|ram_file|re_|"
                  r"read_too_much|regex_|registered_moment|rename_root|sampled|sctp_|segment_order|select_|slow_peer|"
                  r"socket_|tcp_|trace_orders|trace_port|udp_|unicode_deep)")
LAST_WAITS = 0.8  # of the work has begun when the last that waits begins
STRESS_ROUNDS, STRESS_JOBS = 10, 6


def stages_of(options):
    """The stages of a run: (preset, kinds). Storms and fuzzers use all cores, each for itself."""
    kinds = set(options.only.split(",")) if options.only else {kind for _, stage in DEEP for kind in stage.split(",")}
    if not options.only and not options.deep:
        kinds -= {"stress", "leaks", "viewers", "systems", "fuzz", "seeing"}
    if options.preset not in (None, "release"):
        kinds.discard("model")
    if options.deep:
        return [(preset, kept) for preset, stage in DEEP
                if options.preset in (None, preset) and (kept := kinds & set(stage.split(",")))]
    preset = options.preset or "release"
    apart = [kind for kind in ("storm", "viewers", "systems", "stress", "fuzz") if kind in kinds]
    return [(preset, kept) for kept in [kinds - set(apart)] if kept] + \
        [("fuzz" if kind == "fuzz" else preset, {kind}) for kind in apart]


def stage_jobs(options, preset, kinds, version):
    """The rounds of a stage, one after the other: (how many jobs at once, jobs)."""
    names, jobs = options.names, []
    if "unit" in kinds:
        jobs += unit_tests(preset, options.seed[-1] if options.deep else None, names)
    if "model" in kinds:
        jobs += models(preset, names, wants_mutants(options))
    for kind in ("erl", "regress"):
        if kind in kinds:
            jobs += erl_tests(preset, f"test/{kind}", version, names)
    if "leaks" in kinds:
        jobs += leak_tests(preset, version, names)
    if "eunit" in kinds:
        jobs += eunit_tests(preset, version, names)
    if "gen" in kinds:
        # Slow builds of the deep run need not see again what the first stage has seen.
        seeds = options.seed[-1:] if options.deep and preset != "release" else options.seed
        jobs += [job for job in generated_tests(preset, version, seeds, options.deep) if selected(job.name, names)]
    if "tidy" in kinds and selected("tools/tidy", names):
        jobs.append(Job("tools/tidy", lambda: run_counting(["tools/tidy"], "tidy", 120)))
    if "regress" in kinds and options.preset is None and not options.deep:
        # The interpreter by what was once wrong; programs with sanitizers have no other engine.
        jobs += [job for job in erl_tests("interpreted", "test/regress", version, names)
                 if names or not IN_C.match(os.path.basename(job.name))]
    if builds_templates(options, preset, kinds):
        jobs.append(Job("unit/templates", templates_build))  # last: they are built meanwhile
    waiting = []
    if "scenario" in kinds:
        waiting += scenarios(preset, "test/scenario", names, options.deep)
    if "seeing" in kinds:
        waiting += seeing(preset, names, options.deep)
    if "cluster" in kinds:
        waiting += cluster_tests(preset, version, names, options.deep)
    rounds = [(options.j, spread(jobs, waiting))]
    for kind in ("viewers", "systems"):
        if kind in kinds:
            rounds.append((1, scenarios(preset, "test/" + kind, names, options.deep)))
    if "storm" in kinds:
        minutes = options.storm or (DEEP_STORM_MINUTES if options.deep else 0)
        rounds.append((1, storm_tests(preset, version, minutes, options.seed[-1], names)))
    if "fuzz" in kinds:
        rounds.append((os.cpu_count() or 1, fuzz_tests(names, options.seed[-1], options.deep)))
    if "stress" in kinds:
        programs = [job for folder in STRESSED for job in erl_tests(preset, folder, version, names)]
        rounds.append((options.j, programs))  # the first compiles, and asks the stock runtime
        rounds.append((STRESS_JOBS, (STRESS_ROUNDS - 1) * programs))
    return rounds


def spread(jobs, waiting):
    """Both in their order. What waits leaves the cores to what works: it begins evenly among that, and the last of it
    while there is work left."""
    places = [(part * (i + 0.5) / len(some), job) for some, part in ((jobs, 1), (waiting, LAST_WAITS))
              for i, job in enumerate(some)]
    return [job for _, job in sorted(places, key=lambda place: place[0])]


def stage_targets(options, kinds):
    if kinds <= {"tidy"}:
        return []
    return ["fuzzers"] if kinds == {"fuzz"} else ["all"] + ["unit_tests"] * ("unit" in kinds) + \
        ["mutants" if wants_mutants(options) else "models"] * ("model" in kinds)


def wants_mutants(options):
    """All of them: they show what the models see, which changes with a model, its protocol or the checker only."""
    named = [os.path.basename(name).split(".")[0] for name in options.names]
    return options.deep or bool(options.only) or \
        any(os.path.exists(os.path.join(TOP, f"test/model/m_{name}.c")) for name in named)


def builds_templates(options, preset, kinds):
    return "unit" in kinds and preset == "release" and not options.deep and selected("unit/templates", options.names)


def builds_of(options, preset, kinds, later):
    """(preset, targets): what else a stage builds, and the stages that come later."""
    builds = [("torture", [TEMPLATES])] if builds_templates(options, preset, kinds) else []
    folders = {build_folder(preset)}
    for preset, kinds in later:
        if build_folder(preset) not in folders and (targets := stage_targets(options, kinds)):
            folders.add(build_folder(preset))
            builds.append((preset, targets))
    return builds
