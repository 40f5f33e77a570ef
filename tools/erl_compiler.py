"""The stock compiler as a server (compile_server.erl)."""

import os

from erl_server import TOP, Server, quoted


class Compiler(Server):
    def __init__(self, env):
        super().__init__("compile_server", env)

    def compile(self, files, folder, options, seconds):
        """`options` as erlc has them, "+..."; what is wrong, or None."""
        names = [quoted(os.path.relpath(file, TOP)) for file in files]
        terms = ",".join([f"{{outdir,{quoted(folder)}}}"] + [option[1:] for option in options])
        return self.ask(f"[{','.join(names)}],[{terms}]", seconds)
