"""No jail at all, for whoever typed `--unsafe-no-jail`: the same server, on the bare machine, as the same user."""

from __future__ import annotations

import tempfile

from envbounty.sandbox.worker import PipeChannel, Shape, Worker, real_python, server_argv, server_config


class Bare:
    """Starts servers that isolate nothing. Limits on time, memory and output still hold."""

    name = "none"
    isolated = False
    detail = "UNSAFE: untrusted code ran as this user on this machine"

    def start(self, shape: Shape, number: int) -> Worker:
        config = server_config("none", {"one": "", "many": ""}, number, strict=False)
        environ = {"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": str(number), "TMPDIR": tempfile.gettempdir()}
        channel = PipeChannel(server_argv(real_python(), config), environ)
        try:
            return Worker(channel, shape)
        except BaseException:
            channel.close()
            raise
