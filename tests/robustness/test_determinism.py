"""The same result for 1 and 2 threads, compiled or not, in different processes.

What is computed is below, in `results`; processes of their own compute it with other
settings, and write down a digest of each result.
"""

import dataclasses
import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import tripletree as tt
from tests.processes import environment, run_python
from tests.robustness.worlds import plain


def by_linkage(answers):
    return tt.average_linkage(tt.adds_similarity(answers, sparse=False))


def results(n, m):
    """Everything that has threads, kernels, restarts or random numbers in it."""
    rng = np.random.default_rng(0)
    world = tt.planted(-(-n // 8), 3, rng=rng)
    answers = tt.sample_triplets(world.similarity, m, flip=0.1, rng=rng)
    n = answers.n_objects
    answers = tt.Triplets(answers.rows, n, annotators=rng.integers(0, 5, len(answers)))
    weighted = tt.Triplets(answers.rows, n, rng.random(len(answers)))
    dense = tt.adds_similarity(answers)
    sparse = tt.adds_similarity(answers, sparse=True)
    few = tt.Triplets([[0, 1, 2], [n - 1, 3, 0]], n)
    tree = tt.average_linkage(dense)
    found = tt.cluster(answers, "climb", support=4, curve=True, tree_fit=True, seed=1)
    found = dataclasses.replace(found, seconds=0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        tt.write_report(found, path, date="2026", command="x")
        page = path.read_bytes()
    return {
        "adds": dense,
        "sparse adds": sparse,
        "weighted adds": tt.adds_similarity(weighted),
        "dense linkage": tree,
        "weighted linkage": tt.average_linkage(tt.adds_similarity(weighted)),
        "sparse linkage": tt.sparse_average_linkage(sparse),
        "climb": tt.climb(tree, dense),
        "weighted climb": tt.climb(tree, weighted),
        "sparse climb": tt.climb(tree, csr_array(tt.adds_similarity(few))),
        "maximise_revenue": tt.maximise_revenue(answers, n_restarts=4, seed=3),
        "revenue": tt.revenue(tree, weighted),
        "satisfaction": tt.satisfaction(tree, answers),
        "three objects": tt.upper_bound(weighted, method="three objects"),
        "mulk": tt.mulk_similarity(answers),
        "four_k": tt.four_k_similarity(answers),
        "held_out": tt.held_out(answers, by_linkage, seed=1),
        "learning_curve": tt.learning_curve(answers, by_linkage, seed=1),
        "bootstrap_support": tt.bootstrap_support(
            tree, answers, method="adds-al", n_replicates=6
        ),
        "tste": tt.tste(answers, n_starts=1, seed=2),
        "completed": tt.completed_similarity(answers, n_embeddings=2),
        "posterior": tt.block_posterior(answers[:2_000], n_chains=3),
        "cluster": found,
        "write_report": page,
    }


def digests(n, m):
    return {
        name: hashlib.sha256(repr(plain(value)).encode()).hexdigest()
        for name, value in results(n, m).items()
    }


def digests_elsewhere(n, m, **settings):
    """The same in a process with these environment variables."""
    code = (
        "import json\n"
        "from tests.robustness.test_determinism import digests\n"
        f"print(json.dumps(digests({n}, {m})))"
    )
    done = run_python(code, check=True, env=environment(measured=False, **settings))
    return json.loads(done.stdout)


@pytest.mark.slow
def test_one_thread_and_two_threads():
    size = 160, 30_000
    two = digests_elsewhere(*size, NUMBA_NUM_THREADS="2", PYTHONHASHSEED="8")
    assert digests_elsewhere(*size, NUMBA_NUM_THREADS="1", PYTHONHASHSEED="7") == two


@pytest.mark.slow
def test_compiled_and_plain_python():
    """Floats may be added in another order by compiled code: exact results only."""
    size = 8, 60
    assert digests_elsewhere(*size) == digests_elsewhere(*size, NUMBA_DISABLE_JIT="1")
