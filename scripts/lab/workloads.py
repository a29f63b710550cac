"""The chapters of docs/lab.md on the workloads rows and groups, for scripts/lab_tables.

Results of the simulator are in docs/results/lab-WORKLOAD-simt.json, those of a GPU under "workloads" in the results of
scripts/lab_on_gpu; without these the chapters say so.
"""
import pathlib

from shared import result_files
import lab.predictions
import lab.simt
import lab.sources
from shared.documents import figure, paragraph, table
from lab.lesson import difference, lesson_parts, on_simt, results_text
from lab.rungs import TYPES, fail, power, time_text

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "docs/results"
NOT_MEASURED = "not measured on a GPU so far; `scripts/lab_on_gpu --workloads-only` does it"
GPU_ONLY = {"cub_rows": "DeviceSegmentedReduce", "cub_groups": "DeviceRadixSort"}
CHECKS = ("passed", "wrong on purpose")


def simt_path(workload):
    return RESULTS / f"lab-{workload}-simt.json"


def ladders_of(measured, workload):
    """The measured ladders of a workload; exits with an error if one failed, or a rung in it."""
    ladders = [ladder for ladder in measured["ladders"] if ladder.get("workload", workload) == workload] if measured else []
    for ladder in ladders:
        if "failed" in ladder:
            fail(f"a ladder of {workload} failed: {ladder['failed']}")
        for rung in ladder["rungs"]:
            if rung["check"] not in CHECKS:
                fail(f"{rung['name']} failed its checks: {rung['check']}")
    return ladders


def rung_of(ladder, name):
    return next((rung for rung in ladder["rungs"] if rung["name"] == name), None)


def on_gpu(measured, ladders, name):
    """What the rung took in each ladder of floats."""
    found = [(ladder, rung_of(ladder, name)) for ladder in ladders if ladder["dtype"] == "float32"]
    parts = [f"{ladder['divided']}: {time_text(rung['microseconds'])}, error {figure(rung['ulps'])} ulps, {results_text(rung)}"
             for ladder, rung in found if rung]
    if not parts:
        return NOT_MEASURED
    return f"on the {measured['gpu']}, {power(found[0][0]['n'])} floats in " + "; ".join(parts)


def check(workload, simulated, measured, name):
    """The prediction of a lesson, its command, and what comes out."""
    rung, ladders = simulated.get(name), ladders_of(measured, workload)
    runs = [*lab.predictions.COMPARED.get(name, []), name]
    if rung:
        command, found = lab.simt.rung_command(runs, lab.simt.WORKLOADS[workload]), {each: simulated[each] for each in runs}
        outcome = f"on `simt`: {on_simt(rung)}."
    else:
        command, found = f"exactdot lab --rung {name}  # needs a GPU", {name: rung_of(ladders[0], name)} if ladders else None
        outcome = "on `simt`: the library needs a GPU; without one the command ends with an error."
    answer = lab.predictions.of_rung(name, found) if found else f"{NOT_MEASURED}."
    lines = [paragraph(line, "- ") for line in (outcome, f"{on_gpu(measured, ladders, name)}.")]
    return "\n\n".join(lesson_parts(name, command, answer, lines, name))


def cell(rung):
    if rung is None or rung["microseconds"] is None:
        return "–"
    return f"{time_text(rung['microseconds'])}, {figure(rung['percent_of_ceiling'])} %"


def measured_table(workload, measured):
    """All rungs over all ladders: times, and the part of the ceiling."""
    ladders = ladders_of(measured, workload)
    if not ladders:
        return paragraph(f"Times: {NOT_MEASURED}.")
    names = dict.fromkeys(rung["name"] for ladder in ladders for rung in ladder["rungs"])
    if set(names) != lab.sources.rung_names(workload):
        fail(f"the measured rungs of {workload} are not those of lab/rungs/{workload}; run scripts/lab_on_gpu")
    header = ["rung", *(f"{ladder['divided']}, {TYPES[ladder['dtype']]}" for ladder in ladders), "same bits"]
    rows = [[f"`{name}`", *(cell(rung_of(ladder, name)) for ladder in ladders),
             rung_of(ladders[0], name)["promises_same_bits"]] for name in names]
    text = (f"Times for {power(ladders[0]['n'])} elements, and the part of the ceiling: {measured['gpu']}, driver "
            f"{measured['driver']}, CUDA toolkit {measured['toolkit']}, {measured['date']}.")
    return f"{paragraph(text)}\n\n{table(header, rows)}"


def simulated_table(simulated):
    """What each rung costs on the simulator."""
    keys = {"launches": "launches", "steps": "steps", "atomics": "atomics", "barriers": "barriers",
            "sectors_per_request": "sectors per request", "longest_queue": "longest queue", "bytes_moved": "bytes moved"}
    rows = [[rung["number"], f"`{name}`", *(figure(rung[key]) if rung[key] is not None else "–" for key in keys),
             figure(rung["ulps"]), rung["distinct_results"], rung["promises_same_bits"]] for name, rung in simulated.items()]
    runs = next(iter(simulated.values()))["runs"]
    return table(["#", "rung", *keys.values(), "error, ulps", f"results in {runs} runs", "promises the same bits"], rows)


def sections(measured):
    """The sections of both chapters: name to a function from the old to the new text."""
    made = {}
    for workload in lab.simt.WORKLOADS:
        ladders_of(measured, workload)  # failures end the script before anything is written
        simulated = {rung["name"]: rung for rung in result_files.read(simt_path(workload))["rungs"]}
        names = lab.sources.rung_names(workload)
        if simulated.keys() != names - GPU_ONLY.keys():
            fail(f"{simt_path(workload).name} and lab/rungs/{workload} differ in rungs; run lab_tables --simt")
        made[f"simulated {workload}"] = lambda _, simulated=simulated: simulated_table(simulated)
        made[f"measured {workload}"] = lambda _, workload=workload: measured_table(workload, measured)
        for name in names:
            made[f"rung {name}"] = lambda _, name=name: difference(name, [name])
            made[f"check {name}"] = lambda _, workload=workload, simulated=simulated, name=name: check(
                workload, simulated, measured, name)
    return made
