"""The builds that are tested: where each is, how its runtime is started, how long it may take."""

import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Until a test counts as hanging: long, as a slow or busy machine is no reason to fail.
SECONDS = {"release": 300, "debug": 400, "torture": 900, "asan": 900, "tsan": 900, "delay": 900,
           "give_away": 900, "map": 900, "map_asan": 900, "map_torture": 900,
           "interpreted": 300, "interpreted_torture": 900}
# More threads than a small machine has cores: what they do to each other is what these builds look for.
SCHEDULERS = {preset: ["+S", "4"] for preset in ("asan", "tsan", "torture", "delay", "give_away",
                                                    "interpreted_torture")}
for preset in ("map", "map_asan", "map_torture"):
    SCHEDULERS[preset] = ["+S", "4", "+Mim", "true"]  # every block is in the map of memory
# Torture also ends every slice at the first call. Which places delay most goes by the seed (base/race_window.h).
# At each such count of long work the scheduler is given away (base/long_work.h).
VIV_ENVIRONMENT = {"torture": {"VIV_ONE_REDUCTION": "1"}, "map_torture": {"VIV_ONE_REDUCTION": "1"},
                   "give_away": {"VIV_GIVE_AWAY": "3"},
                   "interpreted": {"VIV_INTERPRETED": "1"},
                   "interpreted_torture": {"VIV_INTERPRETED": "1", "VIV_ONE_REDUCTION": "1"}}
# Presets that are a build of another name.
BUILDS = {"give_away": "debug", "map": "tsan", "map_asan": "asan", "map_torture": "torture", "interpreted": "release",
          "interpreted_torture": "torture"}


def build_folder(preset):
    return os.path.join(TOP, "build", BUILDS.get(preset, preset))


def viv_path(preset):
    folder = build_folder(preset)
    return os.path.join(TOP if os.path.basename(folder) == "release" else folder, "bin/viv")


def is_left_out(preset, path):
    """By a line `%% Not under PRESET[, PRESET]: REASON`, or `# Not under ...` where comments begin so."""
    with open(path, encoding="utf-8", errors="replace") as file:
        said = re.search(r"^(?:%%|#) Not under (\w+(?:, \w+)*): \S", file.read(), re.M)
    return said is not None and preset.removeprefix("map_").removeprefix("interpreted_") in said[1].split(", ")
