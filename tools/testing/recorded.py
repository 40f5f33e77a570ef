"""What the stock runtime has answered is on record: test/answers has a line for each program, with the hash of all that
the answer depends on (the sources, how they were compiled, and the main parts of the stock runtime: stock.otp_version)
and the hash of the answer.

Lines of runtimes that are asked no more go when the record is made as a whole.

Where viv answers what is, stock is not asked again, but for one program in ASKED_ANYWAY, others each time: so the
record is tested, too. Who answers otherwise, or has no line, is held against the stock runtime itself, as all are in
the deep run and when the record is made (tools/run_tests --record).
"""

import hashlib
import os
import random
import threading

from testing.presets import TOP

FILE = os.path.join(TOP, "test/answers")
HEADING = "# Hashes of what the stock runtime answers; tools/run_tests --record"
ASKED_ANYWAY = 16
KEPT = 24  # digits of a hash


class Record:
    def __init__(self):
        self.lock, self.is_made, self.lines, self.new = threading.Lock(), False, None, {}

    def read(self):
        with self.lock:
            if self.lines is None:
                self.lines = {} if self.is_made or os.environ.get("DEEP") else lines_of(FILE)
            return self.lines

    def says(self, question, answer):
        """Whether that is on record, and may be taken for granted."""
        return self.read().get(question) == hash_of(answer) and random.randrange(ASKED_ANYWAY) > 0

    def note(self, question, answer):
        """The stock runtime has said so."""
        with self.lock:
            self.new[question] = hash_of(answer)

    def write(self, is_whole):
        """Of a run of some programs: the lines of others stay."""
        asked = {question.split()[0] for question in self.new}
        kept = {} if is_whole else {question: said for question, said in lines_of(FILE).items()
                                    if question.split()[0] not in asked}
        lines = [f"{question} {said}\n" for question, said in sorted((kept | self.new).items())]
        with open(FILE, "w", encoding="utf-8") as file:
            file.write(f"{HEADING}\n" + "".join(lines))


def lines_of(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return dict(line.rsplit(" ", 1) for line in file.read().splitlines()[1:])


def question_of(kept):
    """`kept`: the path of the file with the answer, in a folder that is named by a hash."""
    folder, name = os.path.split(os.path.relpath(kept, os.path.join(TOP, "build/stock")))
    return f"{name.removeprefix('answer.')} {hash_of(folder.encode())}"


def hash_of(answer):
    return hashlib.sha256(answer).hexdigest()[:KEPT]


RECORD = Record()
