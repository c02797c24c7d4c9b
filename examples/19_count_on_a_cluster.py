"""Counting on a cluster: a scheduler and two workers of dask.distributed on this machine, and a ledger.

All of them listen on the loopback address only. Elsewhere start `dask scheduler --host HOST` and `dask worker
tcp://HOST:8786`, with the same version of cpqueens everywhere, and run `cpqueens count queens n=20 --store
run.db --cluster tcp://HOST:8786`. Tasks are pickles, so everyone who can reach a scheduler can run any code
there: docs/solving/long_counts.md says how to keep others out.

    python examples/19_count_on_a_cluster.py [n]
"""

import logging
import sys
import tempfile
from pathlib import Path

from cpqueens.models.queens import queens

from cpqueens import durable_count
from cpqueens.longrun.cluster import connected
from cpqueens.longrun.coordinator import verify


def main(n: int) -> None:
    """Count n queens on two workers, then count a sample of the parts again."""
    from distributed import LocalCluster

    with (
        LocalCluster(  # errors are raised; a late heartbeat during shutdown does not matter
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        connected(cluster.scheduler_address) as (executor, threads, dashboard),
        tempfile.TemporaryDirectory() as folder,
    ):
        print(f"scheduler {cluster.scheduler_address}, {threads} threads, dashboard {dashboard}")
        store = Path(folder) / "run.db"
        found = durable_count(queens(n), store, executor=executor, workers=threads)
        totals = found.totals
        print(f"{n} queens: {found.count:,} solutions, complete: {found.complete}")
        print(f"{totals.done:,} of {totals.parts:,} parts, {totals.conflicts} conflicts")
        print(verify(store).sentence)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 13)
