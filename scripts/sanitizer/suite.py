"""Runs of the labelled suite's kernels on a GPU, many at a time, for scripts/suite_on_gpu.

A task is one process: some kernels, without a tool or under one of compute-sanitizer. A task of several kernels in which
anything is reported, or does not end, is followed by a task for each of them.
"""
import collections
import concurrent.futures
import heapq
import itertools
import os
import re
import signal
import subprocess
import sys
import time

from sanitizer.reports import judge, parse

PLAIN = "plain"
REQUIRED = {
    "memcheck": ["--report-api-errors", "explicit"],
    "racecheck": ["--racecheck-report", "analysis"],
    "synccheck": [],
    "initcheck": [],
}
# Each is left out if this version of the tool does not know it. {port}: of its own for each process.
COMMON = [["--show-backtrace", "device"], ["--port", "{port}"]]
OPTIONAL = {
    "memcheck": [["--padding", "4096"]],  # else the next array begins where one ends
    "racecheck": [["--num-cuda-barriers", "16"], ["--racecheck-deadlock-timeout", "1000"]],
    "synccheck": [["--num-cuda-barriers", "16"]],
    "initcheck": [["--initcheck-address-space", "all"]],
}
TOOLS = tuple(REQUIRED)
RELEVANT = {"out_of_bounds": "memcheck", "misaligned": "memcheck", "constant_write": "memcheck", "trap": "memcheck",
            "data_race": "racecheck", "absent_block": "racecheck", "missing_proxy_fence": "racecheck",
            "uninitialised_shared": "initcheck", "uninitialised_global": "initcheck"}  # others: synccheck
PLAIN_SECONDS, ROW_SECONDS, HANG_SECONDS = 2, 6, 3.5  # of the program's own limit, for a kernel
TOO_LONG = "took too long"
# A failure before the kernel runs. A failed launch may be one of the kernel, because tools wait for it.
NOT_LAUNCHED = re.compile("error: (?:creating|allocating|clearing|raising)")

Row = collections.namedtuple("Row", "family name word fault file lines models")
Task = collections.namedtuple("Task", "priority number tool rows tries")


def run(command, seconds):
    """Exit status, or None after the time limit, and the combined output. Ends the process and its children."""
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    except OSError as error:
        return 127, str(error)
    try:
        output, status = process.communicate(timeout=seconds)[0], process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        status = None
        try:
            output = process.communicate(timeout=10)[0]
        except subprocess.TimeoutExpired as error:  # the driver holds the process
            output = error.stdout or b""
    return status, output.decode(errors="replace")


def rows_of(program):
    status, text = run([program, "--list"], 60)
    lines = [line.split("\t") for line in text.splitlines()]
    if status != 0 or not lines or any(len(line) != len(Row._fields) for line in lines):
        sys.exit(f"suite_on_gpu: {program} --list: {text[-300:]}")
    return [Row(*line[:5], tuple(int(n) for n in line[5].split(",") if n != "-"), line[6]) for line in lines]


class Measurement:
    def __init__(self, program, sanitizer, rows, start_seconds):
        self.program, self.sanitizer, self.rows, self.start_seconds = program, sanitizer, rows, start_seconds
        self.results = {row: {} for row in rows}  # by row, by tool
        self.options = {}
        self.numbers = itertools.count()

    def execute(self, tool, rows, seconds, slot, options=None):
        """Outcome of each row that printed one, the tool's output, and why there is none ("" if there is)."""
        command = [self.program, "--seconds", str(seconds), "--run"]
        command += itertools.chain.from_iterable((row.family, row.name, row.word) for row in rows)
        if tool != PLAIN:
            words = self.options[tool] if options is None else options
            command = [self.sanitizer, "--tool", tool, *(word.format(port=49152 + 16 * slot) for word in words), *command]
        status, text = run(command, self.start_seconds + seconds + 0.5 * len(rows))
        outcomes = {}
        for row in rows:
            found = re.search("\t".join(map(re.escape, row[:3])) + r"\t(.*)", text)
            if found:
                outcomes[row] = re.sub(r" \(\S+:\d+\)$", "", found[1].strip())  # without the line of the host code
        output = parse(text)
        if len(outcomes) == len(rows) and (tool == PLAIN or output.complete):
            return outcomes, output, ""
        return outcomes, output, TOO_LONG if status is None else f"exit {status}: {text[-300:]}"

    def choose_options(self):
        """Tries each tool with all options, or else with each one."""
        row = next(row for row in self.rows if row.word == "correct")

        def works(tool, slot, options):
            return not self.execute(tool, [row], 30, slot, REQUIRED[tool] + sum(options, []))[2]

        def choose(slot, tool):
            wanted = COMMON + OPTIONAL[tool]
            if works(tool, slot, wanted):
                return REQUIRED[tool] + sum(wanted, [])
            known = [option for option in wanted if works(tool, slot, [option])]
            print(f"suite_on_gpu: {tool} runs with {known or 'none'} of {wanted}", file=sys.stderr)
            return REQUIRED[tool] + sum(known, []) if known or works(tool, slot, []) else None

        with concurrent.futures.ThreadPoolExecutor(len(TOOLS)) as pool:
            chosen = zip(TOOLS, pool.map(choose, itertools.count(), TOOLS))
            self.options = {tool: options for tool, options in chosen if options is not None}

    def ends(self, row):
        return self.results[row].get(PLAIN) == "ends"

    def missing(self, row, tool):
        result = self.results[row].get(tool)
        return result is None or (result.startswith("failed") if tool == PLAIN else "failed" in result)

    def task(self, priority, tool, rows, tries=1):
        return Task(priority, next(self.numbers), tool, rows, tries)

    def single(self, row, tool, tries=1):
        return self.task(1 if RELEVANT.get(row.fault, "synccheck") == tool else 2, tool, [row], tries)

    def batches(self, tool, rows):
        families = {}
        for row in rows:
            if self.missing(row, tool):
                families.setdefault((row.family, row.word), []).append(row)
        return [self.task(0, tool, batch) for batch in families.values()]

    def plain_tasks(self):
        faulty = [self.task(0, PLAIN, [row]) for row in self.rows if row.word == "faulty" and self.missing(row, PLAIN)]
        return self.batches(PLAIN, [row for row in self.rows if row.word == "correct"]) + faulty

    def tool_tasks(self):
        tasks = []
        for tool in self.options:
            tasks += self.batches(tool, [row for row in self.rows if self.ends(row)])
            tasks += [self.single(row, tool) for row in self.rows if not self.ends(row) and self.missing(row, tool)]
        return tasks

    def perform(self, task, slot):
        """Records the results of a task, or returns the tasks that must follow."""
        tool, rows = task.tool, task.rows
        hangs = any(self.results[row].get(PLAIN) == "does not end" for row in rows)
        seconds = PLAIN_SECONDS if tool == PLAIN else HANG_SECONDS if hangs else ROW_SECONDS
        outcomes, output, reason = self.execute(tool, rows, seconds, slot)
        if len(rows) > 1:
            all_end = all(self.is_end(outcomes.get(row, "")) for row in rows)
            if reason or output.errors or not all_end:
                return [self.single(row, tool) for row in rows]
            for row in rows:
                self.results[row][tool] = outcomes[row] if tool == PLAIN else {"errors": 0}
            return []
        row, = rows
        outcome = outcomes.get(row, "does not end" if reason == TOO_LONG else "")
        if NOT_LAUNCHED.match(outcome):
            reason = outcome
        elif outcome == "does not end" and (hangs or tool == PLAIN or row in outcomes):
            reason = ""
        elif any(report.places for report in output.reports):
            reason = ""  # the tool ended the program
        if reason:
            self.results[row][tool] = f"failed: {reason}" if tool == PLAIN else {"failed": reason}
            return [self.single(row, tool, task.tries + 1)] if task.tries < 2 else []
        self.results[row][tool] = outcome if tool == PLAIN else self.judged(row, output, outcome)
        return []

    @staticmethod
    def is_end(outcome):
        """A wrong result is an end: that of a plain run is recorded."""
        return outcome == "ends" or outcome.startswith("out[0] is ")

    @staticmethod
    def judged(row, output, outcome):
        if outcome == "does not end" and not output.reports:
            output.errors = 0  # of the process, which was ended
        where, first = judge(output, row.file, row.lines)
        result = {"errors": output.errors}
        if where:
            result |= {"where": where, "first": first[:200]}
        if outcome == "does not end":
            result["ends"] = False
        return result

    def to_json(self):
        rows = []
        for row in self.rows:
            results = self.results[row]
            tools = {tool: results[tool] for tool in TOOLS if tool in results}
            line = {"family": row.family, "name": row.name, "faulty": row.word == "faulty"}
            if line["faulty"]:
                line |= {"fault": row.fault, "models": row.models}
            line |= {PLAIN: results.get(PLAIN, "not run"), "tools": tools}
            if line["faulty"]:
                named = [tool for tool in TOOLS if tools.get(tool, {}).get("where") in ("line", "no line")]
                on_line = [tool for tool in named if tools[tool]["where"] == "line"]
                line |= {"named_by": named, "on_line": bool(on_line),
                         "first": tools[(on_line or named)[0]]["first"] if named else ""}
            else:
                line["alarms"] = [tool for tool in TOOLS if tools.get(tool, {}).get("errors")]
            rows.append(line)
        return rows

    def count_missing(self):
        return sum(self.missing(row, tool) for row in self.rows for tool in (PLAIN, *TOOLS))


def perform_all(measurement, tasks, jobs, deadline, save):
    """Performs tasks and those that follow, until all are done or the time is up."""
    waiting, running, free, done, saved = list(tasks), {}, list(range(jobs)), 0, time.monotonic()
    heapq.heapify(waiting)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while (waiting and time.monotonic() < deadline) or running:
            while waiting and free and time.monotonic() < deadline:
                task, slot = heapq.heappop(waiting), free.pop()
                running[pool.submit(measurement.perform, task, slot)] = (task, slot)
            ended = concurrent.futures.wait(running, 5, concurrent.futures.FIRST_COMPLETED).done
            for future in ended:
                task, slot = running.pop(future)
                free.append(slot)
                done += 1
                try:
                    for following in future.result():
                        heapq.heappush(waiting, following)
                except Exception as error:  # one run must not end all
                    print(f"suite_on_gpu: {task.tool}, {task.rows[0].name}: {error!r}", file=sys.stderr)
            if time.monotonic() - saved > 5:
                saved = time.monotonic()
                print(f"{done} runs done, {len(running)} running, {len(waiting)} waiting, "
                      f"{max(0, deadline - saved):.0f} s left", file=sys.stderr)
                save()
    return not waiting
