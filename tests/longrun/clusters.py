"""A cluster of dask.distributed on this machine, for tests: a scheduler and workers that can be killed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from cpqueens.longrun.cluster import connected
from cpqueens.longrun.splitting import JobError


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.folder, self.address = folder, f"tcp://127.0.0.1:{self.port}"
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, role: str, *arguments: str, path: Path | None = None) -> subprocess.Popen[bytes]:
        environment = os.environ | {"CPQUEENS_KERNELS": "plain"}
        if path is not None:
            environment["PYTHONPATH"] = str(path)
        command = [sys.executable, "-m", f"distributed.cli.dask_{role}", "--no-dashboard", *arguments]
        with (self.folder / f"{role}.log").open("ab") as log:
            process = subprocess.Popen(command, env=environment, cwd=self.folder, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def scheduler(self) -> subprocess.Popen[bytes]:
        """Start the scheduler, or a new one in its place."""
        return self.start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))

    def worker(self, path: Path | None = None) -> subprocess.Popen[bytes]:
        """Start a worker of one thread, with cpqueens from another place if one is given."""
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny", path=path)

    def wait_for(self, workers: int) -> None:
        """Wait until so many workers have come."""
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            with suppress(JobError), connected(self.address) as (_, threads, _dashboard):
                if threads == workers:
                    return
            time.sleep(0.1)
        pytest.fail((self.folder / "worker.log").read_text())

    def end(self) -> None:
        """Kill what is left."""
        for process in self.processes:
            process.kill()
            process.wait()
