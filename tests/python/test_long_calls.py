"""Long calls: Ctrl-C, the GIL, the lifetime of arrays, daemon threads, finalizers, forks, memory.

No test depends on the speed of the machine: tests wait for events, or compare processor times.
"""

from __future__ import annotations

import array
import multiprocessing
import os
import platform
import resource
import signal
import subprocess
import sys
import threading
import time

import exactdot as xd
import numpy as np
import pytest

WAIT = 60.0  # seconds after which an expected event counts as missing


def run_script(script: str, *arguments: object) -> str:
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", script, *map(str, arguments)],
                           capture_output=True, timeout=WAIT, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


INTERRUPTED = """
import sys, time, exactdot as xd, numpy as np
one = np.ones(2 ** 16)
n = 2 ** 40 if sys.argv[1] == "endless" else 2 ** 24
long = np.lib.stride_tricks.as_strided(one, (n,), (0,)) if sys.argv[1] == "endless" else np.ones(n)
acc = xd.Accumulator()
try:
    print(time.process_time(), flush=True)
    while True:
        xd.dot(long, long, mode=sys.argv[2], threads=1)
        acc.add(long, long, threads=1)
except KeyboardInterrupt:
    print(time.process_time(), flush=True)
assert xd.dot(one, one) == 2 ** 16
"""


def processor_seconds(process: int) -> float:
    """The processor time that a process has used."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("data, mode", [("endless", "exact"), ("endless", "fast"), ("repeated", "exact")])
def test_a_signal_ends_a_long_call(data: str, mode: str) -> None:
    """Within a second of the process's own time: an endless call would take minutes."""
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, data, mode], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        ready = float(process.stdout.readline())
        deadline = time.monotonic() + WAIT
        while processor_seconds(process.pid) < ready + 0.3 and time.monotonic() < deadline:
            time.sleep(0.01)  # until a call has run for some time
        sent = processor_seconds(process.pid)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=WAIT)
        assert process.returncode == 0
        assert float(output) - sent < 1.0
    finally:
        process.kill()


@pytest.mark.parametrize("n", [2**24 - 1, 2**24])
def test_other_threads_run_during_a_call(n: int) -> None:
    """On the calling thread and on a worker. With this switch interval no thread takes the GIL from another, so the
    other thread counts during a call if and only if the call releases the GIL."""
    a = np.lib.stride_tricks.as_strided(np.ones(1), (n,), (0,))
    counted = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.0002)

    def counts_during_call(length: int) -> int:
        before = counted
        xd.dot(a[:length], a[:length], threads=1)
        return counted - before

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000 * WAIT)
    other = threading.Thread(target=count)
    try:
        other.start()
        assert all(counts_during_call(100) == 0 for _ in range(100))  # a short call keeps the GIL
        deadline = time.monotonic() + WAIT
        while (released := counts_during_call(n)) == 0 and time.monotonic() < deadline:
            pass
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        other.join()
    assert released > 0


def test_an_array_cannot_be_resized_while_it_is_read() -> None:
    a = array.array("d", [1.0]) * 2**24
    results = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            results.append(xd.dot(a, a))

    thread = threading.Thread(target=read)
    thread.start()
    refused = False
    deadline = time.monotonic() + WAIT
    while not (refused and len(results) > 10) and time.monotonic() < deadline:
        try:
            a.append(1.0)
            a.pop()
        except BufferError:
            refused = True
        time.sleep(0.0005)
    stop.set()
    thread.join()
    assert refused and len(results) > 10
    assert all(result >= 2.0**24 for result in results)


def child(n: int, connection: object) -> None:
    connection.send(xd.dot(np.ones(n), np.ones(n), threads=2))  # type: ignore[attr-defined]


DAEMON_THREADS = """
import sys, threading, time, exactdot as xd, numpy as np
a = np.ones(int(sys.argv[1]))
acc = xd.Accumulator()
started = threading.Semaphore(0)
def work():
    started.release()
    while True:
        xd.dot(a, a)
        acc.add(a[::-1], a)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
for _ in range(3): started.acquire()
time.sleep(0.15)
"""


DAEMON_THREADS_IN_PYTHON_CODE = """
import sys, threading, time, exactdot as xd, numpy as np
x, y = np.ones(3), np.ones(4)
class Producer:
    def __dlpack_device__(self): return 1, 0
    def __dlpack__(self, **options): return x.__dlpack__(**options)
class Wrong:
    @property
    def __cuda_array_interface__(self): return {}
a, b = {"refused": (x, y), "producer": (Producer(), Producer()), "property": (Wrong(), Wrong())}[sys.argv[1]]
started = threading.Semaphore(0)
def work():
    started.release()
    while True:
        try:
            xd.dot(a, b)
        except (TypeError, ValueError):
            pass
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
for _ in range(4): started.acquire()
time.sleep(0.1)
"""


@pytest.mark.parametrize("call", ["refused", "producer", "property"])
def test_daemon_threads_that_call_python_code(call: str) -> None:
    """Python takes the GIL from them in the middle of a call."""
    for _ in range(4):
        run_script(DAEMON_THREADS_IN_PYTHON_CODE, call)


LAST_FINALIZER = """
import array, sys, exactdot as xd
class Last:
    def __del__(self, dot=xd.dot, a=array.array("d", [1.0, 2.0])):
        dot(a, a)
sys.kept = Last()
sys.kept.itself = sys.kept
"""


def test_the_last_finalizer() -> None:
    """It runs after the modules have been destroyed."""
    run_script(LAST_FINALIZER)


@pytest.mark.parametrize("n", [2**12, 2**16, 2**24])
def test_daemon_threads_at_exit(n: int) -> None:
    for _ in range(3):
        run_script(DAEMON_THREADS, n)


FINALIZER = """
import sys, exactdot as xd, numpy as np
class Last:
    def __del__(self, dot=xd.dot, a=np.ones(int(sys.argv[1]))):
        print(dot(a, a), flush=True)
last = Last()
last.itself = last
"""


@pytest.mark.parametrize("n", [5000, 2**17, 2**24])
def test_finalizers_may_call_dot(n: int) -> None:
    assert run_script(FINALIZER, n) == f"{float(n)}\n"


FIRST_USE = """
import array, threading, exactdot as xd
a = array.array("d", [1.0]) * 3000
go = threading.Barrier(4)
def work():
    go.wait()
    assert xd.dot(a, a) == 3000
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_the_first_calls_of_several_threads() -> None:
    run_script(FIRST_USE)


ROUNDING = """
import ctypes, sys, exactdot as xd, numpy as np
libm = ctypes.CDLL("libm.so.6")
upward, nearest = 0x800, 0
a, b = np.random.default_rng(1).standard_normal((2, 2 ** 24))
if sys.argv[1] == "upward":
    libm.fesetround(upward)
    exact = xd.dot(a, b)
    libm.fesetround(nearest)
else:
    exact = xd.dot(a, b)
print(exact.hex(), xd.dot(a, b, mode="fast").hex())
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the number of FE_UPWARD")
def test_a_worker_uses_the_environment_of_each_caller() -> None:
    assert run_script(ROUNDING, "upward") == run_script(ROUNDING, "nearest")


THREADS = """
import os, sys, exactdot as xd, numpy as np
before = len(os.listdir("/proc/self/task"))
wide = np.zeros(2 ** 27)
view = {"far": wide[::64], "near": wide[:2 ** 21], "view": wide[:400_000:2]}[sys.argv[1]]
assert xd.dot(view, view, threads=int(sys.argv[2])) == 0
print(len(os.listdir("/proc/self/task")) - before)
"""


def test_numbers_of_threads() -> None:
    assert run_script(THREADS, "near", 1) == "0\n"
    assert run_script(THREADS, "far", 1) == "1\n"  # a worker: its elements are spread over 1 GiB
    assert run_script(THREADS, "view", 2) == "1\n"


FORKED = """
import os, signal, sys, threading, exactdot as xd, numpy as np
a = np.ones(2 ** 18)
def works():
    return all(xd.dot(a, a, mode=mode, threads=t) == 2 ** 18 for mode in ("exact", "fast") for t in (2, 0))
stop = threading.Event()
def call():
    while not stop.is_set(): works()
threads = [threading.Thread(target=call) for _ in range({"first": 0, "after": 0, "during": 2}[sys.argv[1]])]
for thread in threads: thread.start()
for _ in range(20):
    if sys.argv[1] != "first": assert works()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(not works())
    assert os.waitpid(child, 0)[1] == 0
stop.set()
for thread in threads: thread.join()
assert works()
"""


@pytest.mark.parametrize("parent", ["first", "after", "during"])
def test_a_forked_child_uses_threads(parent: str) -> None:
    """Its first calls, before, after and while the parent uses threads."""
    run_script(FORKED, parent)


FORKING_HANDLER = """
import os, signal, sys, exactdot as xd, numpy as np
endless = np.lib.stride_tricks.as_strided(np.ones(1), (2 ** 40,), (0,))
children = []
threads_before = len(os.listdir("/proc/self/task"))
class Done(Exception): pass
def handler(*_):
    if children: raise Done
    if len(os.listdir("/proc/self/task")) == threads_before: return  # the call has not started its worker
    children.append(os.fork())
    if children[0] == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(30)
        if sys.argv[1] == "raises": sys.exit(7)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.3)
try:
    xd.dot(endless, endless, threads=1)
except RuntimeError as error:
    os._exit("forked" not in str(error))  # the child
except Done:
    signal.setitimer(signal.ITIMER_REAL, 0)
assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == (7 if sys.argv[1] == "raises" else 0)
"""


@pytest.mark.parametrize("child", ["returns", "raises"])
def test_a_handler_that_forks(child: str) -> None:
    run_script(FORKING_HANDLER, child)


NO_MORE_THREADS = """
import os, resource, exactdot as xd, numpy as np
a = np.lib.stride_tricks.as_strided(np.ones(1), (2 ** 24,), (0,))
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
before = len(os.listdir("/proc/self/task"))
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 20), resource.getrlimit(resource.RLIMIT_AS)[1]))  # no stack fits
for n in (2 ** 18, 2 ** 24):  # on the calling thread, and on a worker if there were one
    for threads in (1, 0, 2):
        assert xd.dot(a[:n], a[:n], threads=threads) == n
assert len(os.listdir("/proc/self/task")) == before
"""


def test_calls_when_no_thread_can_be_started() -> None:
    run_script(NO_MORE_THREADS)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_may_use_threads_again() -> None:
    for n in (2**17, 2**24):
        assert xd.dot(np.ones(n), np.ones(n), threads=2) == n
    context = multiprocessing.get_context("fork")
    for n in (2**17, 2**24):
        ours, theirs = context.Pipe()
        process = context.Process(target=child, args=(n, theirs))
        process.start()
        assert ours.poll(WAIT), "the child hangs"
        assert ours.recv() == n
        process.join()


def test_views_take_bounded_memory() -> None:
    wide = np.zeros(2**26, np.float32)
    view = np.lib.stride_tricks.as_strided(wide, (2**25,), (8,))
    xd.dot(view[:100_000], view[:100_000], threads=2)
    wide += 1  # touches every page
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert xd.dot(view, view, threads=2) == 2**25  # each thread has 128 KiB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2048  # KiB


@pytest.mark.skipif(os.environ.get("EXACTDOT_LONG") is None, reason="4 GiB; with EXACTDOT_LONG=1")
def test_more_than_2_to_the_31() -> None:
    n = 2**31 + 5
    one = np.lib.stride_tricks.as_strided(np.ones(1), (n,), (0,))
    assert xd.dot(one, one) == n
