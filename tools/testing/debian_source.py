"""The source of a Debian package, as that was built from it."""

import glob
import os
import shutil
import subprocess

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
PATCHED = "patched"  # a file of the source's, written when it is whole


def fetch(package, state, source):
    """Makes the folder `source`, with the package's patches, if it is not there. `state`: a folder for what is fetched,
    and for an apt of its own, which knows source packages."""
    if os.path.exists(os.path.join(source, PATCHED)):
        return
    for part in ("lists/partial", "archives/partial"):
        os.makedirs(os.path.join(state, part), exist_ok=True)
    targets = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(CODENAME) $(COMPONENT)"],
                             capture_output=True, text=True, check=True).stdout.split("\n")
    main = [t.split() for t in targets if t.endswith(" main")]
    site, codename, _ = next(t for t in main if t[0].rstrip("/").endswith("/debian"))
    with open(os.path.join(state, "sources.list"), "w", encoding="utf-8") as out:
        out.write(f"deb-src [signed-by={KEYRING}] {site} {codename} main\n")
    settings = [f"Dir::Etc::SourceList={state}/sources.list", "Dir::Etc::SourceParts=/dev/null",
                f"Dir::State::Lists={state}/lists", f"Dir::Cache={state}", "APT::Sandbox::User=root"]
    apt = ["apt-get", "-qq", *(word for setting in settings for word in ("-o", setting))]
    subprocess.run([*apt, "update"], check=True)
    subprocess.run([*apt, "source", "--download-only", package], cwd=state, check=True)
    unpack(package, state, source)


def unpack(package, state, source):
    """A tree in which some of the patches may be already is made anew."""
    shutil.rmtree(source, ignore_errors=True)
    os.makedirs(source)
    for archive, strip in ((package + "_*.orig.tar.*", "1"), (package + "_*.debian.tar.*", "0")):
        subprocess.run(["tar", "-xf", newest(state, archive), "-C", source, "--strip-components=" + strip], check=True)
    patches = os.path.join(source, "debian", "patches")
    with open(os.path.join(patches, "series"), encoding="utf-8") as series:
        for name in series.read().split():
            subprocess.run(["patch", "-s", "-p1", "-i", os.path.join(patches, name)], cwd=source, check=True)
    open(os.path.join(source, PATCHED), "w", encoding="utf-8").close()


def newest(folder, pattern):
    return max(glob.glob(os.path.join(folder, pattern)), key=os.path.getmtime)
