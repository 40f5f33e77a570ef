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
    if not os.path.exists(os.path.join(source, PATCHED)):
        download(state, package)
        unpack(package, state, source)


def fetch_upstream(packages, state, folder):
    """Makes a folder in `folder` for each package: what its authors have written, as it was before Debian's patches."""
    download(state, "--tar-only", *packages)
    for package in packages:
        extract(newest(state, package + "_*.orig.tar.*"), os.path.join(folder, package), "1")


def download(state, *what):
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
    subprocess.run([*apt, "source", "--download-only", *what], cwd=state, check=True)


def extract(archive, folder, strip):
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["tar", "-xf", archive, "-C", folder, "--strip-components=" + strip], check=True)


def unpack(package, state, source):
    """A tree in which some of the patches may be already is made anew."""
    shutil.rmtree(source, ignore_errors=True)
    for archive, strip in ((package + "_*.orig.tar.*", "1"), (package + "_*.debian.tar.*", "0")):
        extract(newest(state, archive), source, strip)
    patches = os.path.join(source, "debian", "patches")
    with open(os.path.join(patches, "series"), encoding="utf-8") as series:
        for name in series.read().split():
            subprocess.run(["patch", "-s", "-p1", "-i", os.path.join(patches, name)], cwd=source, check=True)
    open(os.path.join(source, PATCHED), "w", encoding="utf-8").close()


def newest(folder, pattern):
    return max(glob.glob(os.path.join(folder, pattern)), key=os.path.getmtime)
