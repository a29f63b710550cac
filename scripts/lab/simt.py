"""The lab on the simulator: the commands that docs/lab.md shows, their results, and what another run must repeat.

docs/results/lab-simt.json, hazards-simt.json and, for each further workload, lab-WORKLOAD-simt.json are what the program
printed. Counts of steps depend on the compiler, so
they may differ by a tenth; those of kernels that wait for other threads may differ more and are not compared.
docs/results/tree-costs-simt.json has the costs of examples/programs/interleaved.cu, line by line, lab-time-simt.json the
times of the whole ladder and of all hazards.
"""
import datetime
import json
import os
import subprocess
import time

N = 1000
RUNGS, HAZARDS = ["lab", "--device", "simt", "--n", str(N)], ["hazards", "--device", "simt"]
WORKLOADS = {"rows": ["lab", "--device", "simt", "--n", "4000", "--row-length", "1000"],
             "groups": [*RUNGS, "--groups", "10"]}
LIMITS = {"exactdot lab --device simt": 60, "exactdot hazards --device simt": 90}  # seconds on 2 processors
WAITING = ("lock_per_block", "single_pass", "fast", "exact", "split_row_messages", "exact_rows", "exact_groups")
SAME = ("check", "correct", "launches", "barriers", "grids", "promises_same_bits")


def rung_command(names, arguments=RUNGS):
    return " ".join(["exactdot", *arguments, *(f"--rung {name}" for name in names)])


def hazard_command(name):
    return " ".join(["exactdot", *HAZARDS, name])


def run(program, arguments):
    """The report of the program as JSON. Exits with an error if the program fails."""
    done = subprocess.run([program, *arguments, "--json"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def measured_times(program):
    """The time of the whole ladder and of all hazards, and the machine."""
    with open("/proc/cpuinfo", encoding="utf-8") as cpu:
        model = next(line.partition(":")[2].strip() for line in cpu if line.startswith("model name"))
    seconds = {}
    for command in LIMITS:
        start = time.perf_counter()
        subprocess.run([program, *command.split()[1:]], check=True, stdout=subprocess.DEVNULL)
        seconds[command] = round(time.perf_counter() - start, 1)
    return {"machine": f"{model}, {os.cpu_count()} threads", "date": datetime.date.today().isoformat(), "seconds": seconds}


def named_faults(hazard):
    """The distinct faults that the simulator names: kind, file and line."""
    return sorted({(fault["kind"], fault.get("file", fault["where"]), fault["line"]) for fault in hazard["detected"]})


def tree_costs(simtcc, program, scratch):
    """What each source line of a CUDA program costs, as simtcc's profile counts it; paths are reduced to names."""
    binary, report = scratch / "tree", scratch / "costs.json"
    subprocess.run([simtcc, program, "-o", binary], check=True)
    subprocess.run([binary], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "SIMTCC_PROFILE": "1", "SIMTCC_JSON": str(report)})
    costs = json.loads(report.read_text())["costs"]
    return [{**line, "file": os.path.basename(line["file"])} for line in costs]


def difference_of_rungs(recorded, found):
    """What a run of a rung prints otherwise than the recorded one; None if nothing."""
    for key in SAME:
        if found[key] != recorded[key]:
            return f"{key} is {found[key]}; recorded is {recorded[key]}"
    if recorded["promises_same_bits"] != "no" and found["hex"] != recorded["hex"]:
        return f"the result is {found['hex']}; recorded is {recorded['hex']}"
    if named_faults(found) != named_faults(recorded):
        return f"the simulator names {named_faults(found)}; recorded is {named_faults(recorded)}"
    if recorded["name"] in WAITING or recorded["steps"] is None:
        return None
    if found["atomics"] != recorded["atomics"]:
        return f"{found['atomics']} atomics; recorded are {recorded['atomics']}"
    if not abs(found["steps"] - recorded["steps"]) <= 0.1 * recorded["steps"]:
        return f"{found['steps']} steps; recorded are {recorded['steps']}"
    return None


def difference_of_hazards(recorded, found):
    """What a run of a hazard prints otherwise than the recorded one; None if nothing."""
    if found["as_expected"] is not True:
        return f"the outcome is not as expected: {found['observed']}"
    if found["expected"] != recorded["expected"]:
        return f"expected is: {found['expected']}; recorded is: {recorded['expected']}"
    if named_faults(found) != named_faults(recorded):
        return f"the simulator names {named_faults(found)}; recorded is {named_faults(recorded)}"
    return None
