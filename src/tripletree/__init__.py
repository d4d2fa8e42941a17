"""tripletree: hierarchies from comparisons.

People answer "is A closer to B than to C?"; tripletree turns the answers into a
dendrogram that fits them best, and says how good it is::

    import tripletree as tt

    answers = tt.Triplets(rows, n_objects=60)
    result = tt.cluster(answers)
    print(result)
    result.tree.to_newick(), result.tree.cut(5)

The folders are the nouns of the paper, in the order in which data flow: `tree` (the
dendrogram), `comparisons` (what was observed), `similarity` (from answers to sums of
pairs), `answers` (from tables of any size to answers), `embedding` (from answers to
points), `completion` (from answers to all of them), `linkage` (from sums to a tree),
`objective` (how good it is), `search` (making it better), `evaluation` (is it right).

`clustering` is the one call over all of them, by one of the `methods`, and the one
result; `planning` says how many answers to collect. Around them:
`datasets`, `experiments` (the paper again),
`report` (figures, files and a page), `estimators` (for scikit-learn), `commands` and
`cli` (the shell).
"""

from typing import Any

import lazy_loader

_imported, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """A public name, imported when first used, or the version."""
    if name == "__version__":
        from tripletree._version import version

        return version()
    return _imported(name)
