"""Files are whole or not there, and those of two runs are never mixed.

`_files` writes all files of the package; what may go wrong meanwhile comes from the
system, so the functions of the system fail here.
"""

import errno
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePath

import pytest

import tripletree as tt
from tests.processes import run_python
from tripletree import _files, _signals
from tripletree.datasets.animals import animals

posix = pytest.mark.skipif(os.name == "nt", reason="locks of POSIX")
NAMES = ("one", "two", "three")


def write_set(folder, text, names=NAMES, overwrite=True):
    with _files.published(folder, NAMES, overwrite) as new:
        for name in names:
            (new / name).write_text(text)


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def everywhere(text, names=NAMES):
    return dict.fromkeys(names, text)


def failing(original, number, when=lambda *_: True):
    """A function that sometimes fails, as the system does."""

    def call(*arguments):
        if when(*arguments):
            raise OSError(number, os.strerror(number))
        return original(*arguments)

    return call


@pytest.fixture(params=[True, False], ids=["links", "no links"])
def links(request, monkeypatch):
    """File systems with links and without."""
    if not request.param:
        monkeypatch.setattr(os, "link", failing(os.link, errno.EPERM))


@pytest.mark.usefixtures("links")
def test_a_file_that_came_meanwhile_is_not_replaced(tmp_path, monkeypatch):
    path, link = tmp_path / "a.txt", os.link

    def late(source, target):
        path.write_text("first")
        link(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", late)
        with pytest.raises(tt.UnreadableFile, match="is there already") as caught:
            _files.write_whole(path, "second", overwrite=False)
    assert caught.value.in_shell().endswith("or give --force to replace it.")
    assert contents(tmp_path) == {"a.txt": "first"}
    _files.write_whole(tmp_path / "b.txt", "new", overwrite=False)
    assert contents(tmp_path) == {"a.txt": "first", "b.txt": "new"}


def test_a_set_replaces_files_of_its_own_names_only(tmp_path):
    (tmp_path / "mine").write_text("mine")
    write_set(tmp_path, "old")
    with pytest.raises(tt.UnreadableFile, match="is there already"):
        write_set(tmp_path, "new", overwrite=False)
    assert contents(tmp_path) == everywhere("old") | {"mine": "mine"}
    write_set(tmp_path, "new", ("one", "two"))
    assert contents(tmp_path) == everywhere("new", ("one", "two")) | {"mine": "mine"}
    (tmp_path / "three").mkdir()
    with pytest.raises(tt.UnreadableFile, match="three' is a folder"):
        write_set(tmp_path, "newer")
    assert (tmp_path / "one").read_text() == "new"


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize("fails", NAMES)
def test_a_set_is_put_back_if_one_file_cannot_be_moved(
    fails, overwrite, tmp_path, monkeypatch
):
    if overwrite:
        write_set(tmp_path, "old")
    full = failing(_files._move, errno.ENOSPC, lambda _, target: target.name == fails)
    monkeypatch.setattr(_files, "_move", full)
    words = "What was there is as it was" if overwrite else "Choose a folder"
    with pytest.raises(tt.UnreadableFile, match=f"No space left on device. {words}"):
        write_set(tmp_path, "new", overwrite=overwrite)
    assert contents(tmp_path) == (everywhere("old") if overwrite else {})


def test_a_full_disk_leaves_the_old_set_and_names_its_folder(tmp_path, monkeypatch):
    write_set(tmp_path, "old")
    monkeypatch.setattr(Path, "write_bytes", failing(None, errno.ENOSPC))
    with (
        pytest.raises(tt.UnreadableFile) as caught,
        _files.published(tmp_path, NAMES, True) as new,
    ):
        _files.write_whole(new / "one", "new")
    assert str(caught.value) == (
        f"{str(tmp_path)!r} cannot be written: No space left on device. What was there "
        "is as it was."
    )
    assert contents(tmp_path) == everywhere("old")


def test_a_set_is_put_back_if_an_old_file_is_in_use(tmp_path, monkeypatch):
    """As on Windows, where a spreadsheet keeps the file it shows."""
    write_set(tmp_path, "old")
    in_use = failing(os.replace, errno.EACCES, lambda path, _: path == tmp_path / "two")
    monkeypatch.setattr(os, "replace", in_use)
    with pytest.raises(tt.UnreadableFile, match="Permission denied"):
        write_set(tmp_path, "new")
    assert contents(tmp_path) == everywhere("old")


def test_files_that_cannot_be_put_back_are_named_and_kept(tmp_path, monkeypatch):
    write_set(tmp_path, "old")
    one_way = failing(os.replace, errno.EACCES, lambda _, path: path.parent == tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", one_way)
        patch.setattr(os, "link", failing(os.link, errno.EPERM))
        with pytest.raises(tt.UnreadableFile, match=r"are now in .*old' \(") as caught:
            write_set(tmp_path, "new")
    assert all(name in str(caught.value) for name in NAMES)
    next_run(tmp_path)
    assert contents(tmp_path) == everywhere("old")


@posix
def test_sets_written_at_the_same_time_are_not_mixed(tmp_path):
    def write(text):
        for _ in range(20):
            write_set(tmp_path, text)

    with ThreadPoolExecutor(3) as pool:
        assert [*pool.map(write, "abc")] == [None] * 3
    found = contents(tmp_path)
    assert found == everywhere(found["one"])


# Killed runs


def next_run(folder):
    """What every run that writes does first: it removes what others have left."""
    with _files.temporary_folder(folder):
        pass


def left_by_a_killed_run(folder, *names):
    left = folder / ".tripletree-0123456789ab"
    left.mkdir()
    for name in names:
        (left / name).parent.mkdir(exist_ok=True)
        (left / name).write_text("first")
    return left


KILLED = """
import os, signal, sys
from pathlib import Path
from tripletree import _files

folder, n_moves = Path(sys.argv[1]), int(sys.argv[2])

def counted(move):
    def move_or_die(source, target, **more):
        global n_moves
        n_moves -= 1
        if n_moves < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        move(source, target, **more)
    return move_or_die

os.link, os.replace, os.rename = map(counted, (os.link, os.replace, os.rename))
with _files.published(folder, ("one", "two", "three"), True) as new:
    for name in ("one", "two"):
        (new / name).write_text("new")
"""


@posix
def test_a_killed_run_is_finished_or_undone_by_the_next(tmp_path):
    """At every moment all files are of one run, and in the end all of them are."""
    ends = []
    for n_moves in range(8):
        folder = tmp_path / str(n_moves)
        folder.mkdir()
        write_set(folder, "old")
        done = run_python(KILLED, folder, n_moves)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        assert len({*contents(folder).values()}) <= 1
        next_run(folder)
        found = contents(folder)
        ends.append("new" if found == everywhere("new", ("one", "two")) else "old")
        assert ends[-1] == "new" or found == everywhere("old")
        for left in folder.glob(".tripletree-*"):  # killed before it had its lock
            assert [one.name for one in left.iterdir()] == ["held"]
        if not done.returncode:
            break
    assert done.returncode == 0
    assert ends == sorted(ends, reverse=True)
    assert {*ends} == {"new", "old"}


@posix
def test_only_what_no_process_holds_is_removed(tmp_path):
    left = left_by_a_killed_run(tmp_path, "lock", "tmp_pairs.parquet")
    mine, pipe = tmp_path / ".tripletree-notes", tmp_path / ".tripletree-0123456789ac"
    for folder in (mine, pipe):
        folder.mkdir()
    (mine / "lock").touch()
    os.mkfifo(pipe / "lock")
    with _files.temporary_folder(tmp_path) as one:
        assert not left.exists()
        with _files.temporary_folder(tmp_path) as two:
            assert {*tmp_path.iterdir()} >= {one, two, mine}
        assert one.exists()
    assert mine.exists()


@posix
def test_files_that_were_removed_do_not_come_back(tmp_path):
    """A run was killed after it had moved its files in; then they were deleted."""
    left_by_a_killed_run(tmp_path, "lock", f"ready/{NAMES[0]}")
    write_set(tmp_path, "second", overwrite=False)
    assert contents(tmp_path) == everywhere("second")


@posix
def test_files_are_not_moved_in_while_others_are_moved(tmp_path, monkeypatch):
    """What a killed run left is finished before or after another set, never between."""
    fcntl = pytest.importorskip("fcntl")
    (left_by_a_killed_run(tmp_path, "lock", f"ready/{NAMES[0]}") / "old").mkdir()
    seen = []

    def noted(call):
        return lambda *given: (seen.append(given[1]), call(*given))

    monkeypatch.setattr(fcntl, "flock", noted(fcntl.flock))
    monkeypatch.setattr(os, "replace", noted(os.replace))
    next_run(tmp_path)
    assert seen.index(fcntl.LOCK_EX) < seen.index(tmp_path / NAMES[0])


@posix
@pytest.mark.parametrize("names", [(), ("held",)])
def test_folders_without_a_lock_are_removed_when_they_are_old(names, tmp_path):
    left = left_by_a_killed_run(tmp_path, *names)
    next_run(tmp_path)
    assert left.exists()
    os.utime(left, (0, 0))
    next_run(tmp_path)
    assert not left.exists()


@posix
def test_a_folder_in_use_stays_although_it_is_old_and_without_a_lock(tmp_path):
    """As on a file system where files are not renamed while they are locked."""
    fcntl = pytest.importorskip("fcntl")
    left = left_by_a_killed_run(tmp_path, "held")
    with (left / "held").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.utime(left, (0, 0))
        next_run(tmp_path)
        assert left.exists()


def test_temporary_folders_are_known_until_they_are_gone(tmp_path, monkeypatch):
    """A signal while one is removed finds it in the list, and removes it."""
    known, remove = [], _files.shutil.rmtree

    def removing(folder, **options):
        known.append(folder in _signals.temporary)
        remove(folder, **options)

    monkeypatch.setattr(_files.shutil, "rmtree", removing)
    next_run(tmp_path)
    assert (known, _signals.temporary, [*tmp_path.iterdir()]) == ([True], {}, [])


def test_temporary_folders_of_other_threads_do_not_matter(tmp_path, monkeypatch):
    """To compare paths runs Python code, and another thread may run meanwhile."""

    def compare(one, other):
        pytest.fail("another thread may end its folder here")

    folder = _files.temporary_folder
    with monkeypatch.context() as patched, folder(tmp_path), folder(tmp_path):
        patched.setattr(PurePath, "__eq__", compare)
    assert not _signals.temporary


@posix
@pytest.mark.parametrize(
    "line",
    ["pairs a.csv -o p.parquet", "convert a.csv b.csv", "convert a.csv b.parquet"],
)
def test_the_next_command_removes_what_a_killed_one_left(
    line, command, tmp_path, monkeypatch
):
    """A command that is killed when its file is whole and about to get its name."""
    monkeypatch.chdir(tmp_path)
    tt.write_comparisons(animals(60).answers, "a.csv")
    code = (
        "import os, sys\n"
        "from tripletree.__main__ import main\n"
        "os.link = lambda *_: os.kill(os.getpid(), 9)\n"
        "main()\n"
    )
    assert run_python(code, *line.split()).returncode == -signal.SIGKILL
    assert len([*tmp_path.iterdir()]) == 2
    command(line)
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", line.split()[-1]}
