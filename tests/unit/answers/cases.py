"""Files of answers of every form, as people and programs write them, and checks."""

import io
import json
import zipfile

import numpy as np
import pandas as pd

import tripletree as tt
from tests import definitions
from tripletree._checks import natural_order

CASES = {
    "triplets": ("head,winner,loser\nowl,hawk,carp\nowl,hawk,cod\nowl,carp,hawk\n", {}),
    "integers": ("i,j,k\n3,1,20\n3,1,20\n1,20,3\n-7,1,3\n", {}),
    "choice": (
        "center,left,right,answer\na,b,c,left\na,b,c,same\na,b,c,c\nz,y,x,\n",
        {},
    ),
    "odd": ("first,second,third,odd\na,b,c,a\na,b,c,b\nb,c,d,right\nb,c,d,tie\n", {}),
    "odd of two": ("first,second,odd\na,b,c\na,c,b\n", {}),
    "central by number": (
        "first,second,third,central\na,b,c,1\na,b,c,3\nb,c,d,2\nb,c,d,tie\n",
        {},
    ),
    "labels or numbers": (
        "first,second,third,odd\n1,2,3,1\n2,3,1,3\n2,1,3,tie\n",
        {},
    ),
    "numbers beside other numbers": (
        "first,second,third,odd,c\n7,8,9,1,\n10,8,9,3,\n1,2,3,1,x\n",
        {"drop": {"c": "x"}},
    ),
    "quadruplets": ("i,j,k,l,weight\na,b,c,d,2\na,b,c,d,3\nd,b,a,c,0\n", {}),
    "large weights": ("i,j,k,weight\na,b,c,4611686018427387\na,b,c,1\n", {}),
    "float weights": ("i,j,k,weight\na,b,c,2.5\na,b,d,3\nd,b,a,0.25\n", {}),
    "filters": (
        "i,j,k,rt,worker\na,b,c,1.0,w1\na,b,d,0.2,w2\nd,b,a,3,w'3\\\nd,a,b,2,\n",
        {"min_response_time": 0.5, "drop": {"worker": ["w'3\\", None]}},
    ),
    "keep": ("i,j,k,ok\na,b,c,yes\na,b,d,no\nd,b,a,yes\n", {"keep": {"ok": True}}),
    "degenerate": ("i,j,k\na,b,c\na,a,c\n", {"drop_degenerate": True}),
    "quotes": ('i;j;k\n"a;""x";b\\n;c\n\'q;"b\\n";c\n"two\nlines";é;c\n', {}),
    "no header": ("3,1,2\n1,2,3\n", {}),
    "empty rows": ("i,j,k,w\na,b,c,1\n,,,\nb,a,c,2\n , ,,9\n", {}),
    "empty questions": ("first,second,third,odd,note\na,b,c,3,\n,,,,4\n", {}),
    "one negative number": ("i,j,k\n1,2,3\n2,-99,1\n", {}),
    "items": ("i,j,k\na,b,c\n", {"items": ["c", "x", "a", "b"]}),
    "labels called as columns": ("i,j,k\nj,i,k\nk,j,i\n", {}),
    "natural order": ("i,j,k\nimg10,img2,img1\nimg10,img1,img9\n", {}),
}

# As tripletTools writes them: numbers of the objects beside their names.
TWO_FORMS = "head,winner,loser,worker_id,rt,Center,Left,Right,Answer,sampleAlg\n"
NUMBERED = TWO_FORMS + (
    "9,50,3,w1,2855,#5E2,#E6A,#2E3,#E6A,random\n"
    "50,9,3,w1,3729,#E6A,#2E3,#5E2,#5E2,random\n"
    "3,50,9,w2,1469,#2E3,#E6A,#5E2,left,random\n"
)
NAMED = TWO_FORMS + (
    "owl,hawk,carp,w1,9,owl,hawk,carp,hawk,a\nowl,cod,carp,w2,9,owl,carp,cod,cod,a\n"
)
# As jsPsych's data.get().csv() writes: choices as JSON, responses counted from 0.
JSPSYCH = """\
trial_type,trial_index,worker_id,rt,stimulus,response,trial_category,choices,correct
preload,0,d8,,,,,,
html-keyboard-response,1,d8,12092,Press any key to begin., ,,,
html-button-response,2,d8,2849,"<p>In each trial,
you see three images.</p>",0,,"[""Continue""]",
html-keyboard-response,3,d8,null,+,null,,,
html-keyboard-response,4,d8,1856,fow.png,0,random,"[""fyw.png"",""myb.png""]",
html-keyboard-response,5,d8,614,mob.png,1,random,"[""fow.png"",""fyw.png""]",
html-keyboard-response,6,d8,null,mob.png,null,random,"[""fow.png"",""fyw.png""]",
"""
TRIALS = [
    {"trial_type": "preload", "success": True},
    {"rt": 2849, "stimulus": "Read this.", "response": 0, "trial_index": 1},
    {"rt": None, "stimulus": "+", "response": None},
    {"rt": 5, "stimulus": "fow.png", "response": 0, "choices": ["fyw.png", "myb.png"]},
    {"rt": 9, "stimulus": "mob.png", "response": 1, "choices": ["fow.png", "fyw.png"]},
    {"rt": 4, "stimulus": "mob.png", "choices": ["fow.png", "fyw.png"]},
]
TRIALS_JSON = json.dumps(TRIALS)
# As PsychoPy writes: a comma at the end of lines, routines without a question.
PSYCHOPY = """\
target,left,right,trials.thisN,key_resp.keys,key_resp.rt,participant,psychopyVersion,
,,,,space,3.1,p1,2023.2.3,
owl,hawk,carp,0,left,0.8,p1,2023.2.3,
hawk,carp,owl,1,right,0.6,p1,2023.2.3,
hawk,carp,cod,2,None,,p1,2023.2.3,
,,,,,,p1,2023.2.3,
"""
# As Qualtrics writes: the texts of the questions, with breaks, and the import ids.
QUALTRICS = (
    "ResponseId,target,left,right,answer\n"
    'Response ID,"Which is\ncloser, left or right?",left,right,answer\n'
    + ",".join('"{""ImportId"":""QID1""}"' for _ in range(5))
    + "\nR_1,owl,hawk,carp,hawk\nR_2,hawk,carp,owl,owl\n"
)

MISSING = "NA N/A #N/A <NA> n/a NaT none None NULL ? - . undefined #NULL! nan".split()
MISSING += ["N.A.", "(null)", "\\N", "\u2013"]
# Labels, and others that look the same, or are the same number.
ALIKE = {
    "2": ["2.0"],
    "-2": ["-2.000"],
    "\u00e9": ["e\u0301"],
    "wild carp": ["wild\u00a0carp", "wild  carp"],
    "owl": ["o\u200bwl", "\ufeffowl", "\uff4f\uff57\uff4c"],
}


def table(header, *rows):
    """A text file of these lines."""
    return "\n".join([header, *rows]) + "\n"


def frame(text):
    """The same table as a data frame, of numbers where it has numbers."""
    return pd.read_csv(io.StringIO(text), keep_default_na=False)


def archive(files, method=zipfile.ZIP_DEFLATED):
    """A ZIP archive of these files, as bytes: the same in every run, of 1980."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as into:
        for name, content in files.items():
            into.writestr(zipfile.ZipInfo(name), content, method)
    return packed.getvalue()


def spelled(answers):
    """Rows with labels in place of ids, as one text each."""
    return [" ".join(answers.labels[i] for i in row) for row in answers]


def check_read(written, content, options, rows, more):
    """The rows of a file, written with labels, and what else is read or told.

    more: the name of the file, and what is wanted of dropped, notes, warnings, labels,
    weights, and people (who gave each row).
    """
    path = written(content, more.get("name", "a.csv"))
    found = tt.read_comparisons(path, **options)
    assert spelled(found) == rows
    labels, names = found.labels, found.annotator_names
    seen = {"labels": labels, "notes": found.notes, "warnings": found.warnings}
    seen["dropped"] = dict(found.dropped)
    seen["weights"] = None if found.weights is None else found.weights.tolist()
    seen["people"] = None if names is None else [names[at] for at in found.annotators]
    wanted = {what: value for what, value in more.items() if what != "name"}
    assert repr({what: seen[what] for what in wanted}) == repr(wanted)
    # Nobody and nothing that is left out is counted, but for the objects of ties.
    assert names is None or list(names) == natural_order({*seen["people"]})
    used = natural_order({labels[at] for at in found.rows.ravel()})
    is_fixed = "items" in options or "undecided" in found.dropped
    assert is_fixed or list(labels) == used
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def check_sums(sums, answers):
    """The same objects, sums and similarity as those of the answers in memory."""
    assert sums.labels == answers.labels
    expected = definitions.pair_sums(answers)
    found = {}
    rows = zip(sums.pairs.tolist(), sums.near.tolist(), sums.far.tolist(), strict=True)
    for (i, j), near, far in rows:
        pair = sums.labels[i], sums.labels[j]
        # Ties and dropped rows leave pairs at 0.
        if near or far or pair in expected:
            found[pair] = [near, far]
    assert found == expected
    similarity = tt.adds_similarity(answers, sparse=True)
    assert sums.similarity.dtype == similarity.dtype
    assert (sums.similarity != similarity).nnz == 0


def check_same(one, two):
    """The same pair sums of the same objects."""
    assert one.labels == two.labels
    for name in ("pairs", "near", "far"):
        assert getattr(one, name).tolist() == getattr(two, name).tolist()


def check_score(path, options, engine=None):
    """The same revenue, counts and rows left out as those of the answers in memory."""
    answers = tt.read_comparisons(path, **options)
    tree = tt.random_tree(answers.n_objects, rng=np.random.default_rng(0))
    order = np.random.default_rng(1).permutation(answers.n_objects)
    labels = [answers.labels[at] for at in order]
    tree = tt.Tree(tree.children, labels=labels)
    options = {name: given for name, given in options.items() if name != "items"}
    answers = tt.read_comparisons(path, items=labels, **options)
    found = tt.score(tree, path, engine=engine, **options)
    assert found.notes == answers.notes
    assert found.revenue == tt.revenue(tree, answers)
    assert found.satisfaction == tt.satisfaction(tree, answers)
    assert found.n_comparisons == found.satisfaction.total
    assert type(found.revenue) is type(tt.revenue(tree, answers))
