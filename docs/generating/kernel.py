"""The kernel that runs the site's cells: of the Python that builds the site, whatever kernels a user has."""

import json
import os
import sys
from pathlib import Path


def install(folder: Path) -> None:
    """Write a kernel's description, and let Jupyter find it before all others; it tells errors alone."""
    described = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"],
        "display_name": "Python 3",
        "language": "python",
    }
    path = folder / "kernels" / "python3" / "kernel.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(described), encoding="utf-8")
    known = os.environ.get("JUPYTER_PATH")
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(folder), known]))
