"""What is measured on what: the machine, the versions, and cblearn's environment."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from tripletree._threads import n_threads

PACKAGES = (
    "tripletree",
    "numpy",
    "numba",
    "scipy",
    "scikit-learn",
    "duckdb",
    "fastcluster",
    "higra",
    "scikit-network",
)
# cblearn 0.4 was written for NumPy 1; later releases may not be.
CBLEARN = "cblearn>=0.4"


def machine() -> dict[str, str]:
    """Processor, threads, memory, system, Python."""
    return {
        "processor": processor(),
        "cores": f"{os.cpu_count()}, {n_threads()} threads used",
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "load at the start": f"{os.getloadavg()[0]:.1f}",
    }


def processor() -> str:
    """Its name, where the system tells; else its architecture."""
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return f"{line.split(':', 1)[1].strip()} ({platform.machine()})"
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Of tripletree and every peer in this environment."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def peer_version(python: str, name: str) -> str:
    """Of a package in the environment of another interpreter."""
    code = f"from importlib.metadata import version; print(version({name!r}))"
    done = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "not installed"


def make_cblearn(folder: Path) -> str | None:
    """An environment with cblearn: its interpreter, or None if it does not install."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return str(python) if installs(python, CBLEARN) else None


def installs(python: Path | str, requirement: str) -> bool:
    """Whether pip finds and installs it; if not, its last words are printed."""
    command = [str(python), "-m", "pip", "install", "--quiet"]
    command += ["--disable-pip-version-check", requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no reason given"]
        print(f"{requirement} does not install: {said[-1]}", flush=True)
    return done.returncode == 0
