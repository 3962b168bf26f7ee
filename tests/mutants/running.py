# SPDX-License-Identifier: Apache-2.0
"""Tests and mutants: which test reaches which, how long it takes, and whether it fails."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

from building import build_folder
from lists import as_list, room_of, tests_of

# Asked with --thorough.
SLOW = re.compile(r"(each_engine_test:)?(oracle|label_huge|published(?!:published_arguments)|samples)|cuda_test:cuda_huge")
# They run no engine, or for long, or need programs that are not built here.
LEFT_OUT = re.compile(r"headers|support|reference|track_soak|readme.cpp.*")
MOST_MEMORY = 5 << 30  # of a test, in bytes: a mutant may ask for all there is
# Left out, since tests run beside them: they take nearly all memory of a device, or look at how much is free.
ALONE = ("cuda_arguments.*larger_than_the_device", "track_cuda.a_stream_takes_its_memory_once")


def bundled_tests(root):
    environment = {"LD_LIBRARY_PATH": str(root / "lib"), "SKERRY_TEST_SCALE": "0.1"}
    return [{"name": path.stem, "command": [str(path)], "environment": environment, "folder": str(root)}
            for path in sorted((root / "bin").glob("*_test"))]


def suites_of(program, environment):
    shown = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True,
                           env={**os.environ, **environment}).stdout
    return [line.split("#")[0].strip() for line in shown.splitlines() if re.match(r"\S+\.\s*(#|$)", line)]


def by_suite(test):
    """A program of GoogleTest as one test for each of its suites: small ones decide first."""
    program = test["command"][0]
    if not program.endswith("_test") or not os.path.exists(program):
        return [test]
    return [{**test, "name": f"{test['name']}:{suite.rstrip('.')}",
             "command": [program, f"--gtest_filter={suite}*-{':'.join(ALONE)}", "--gtest_fail_fast", "--gtest_brief=1"]}
            for suite in suites_of(program, test["environment"])]


def list_tests(target, options):
    shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=target, check=True, capture_output=True, text=True).stdout
    tests = []
    for test in json.loads(shown)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        environment = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        if "command" in test:
            if not options.thorough and "SKERRY_TEST_SCALE" in environment:
                environment.update(SKERRY_TEST_SCALE="0.2", RC_PARAMS="max_success=60")
            tests.append({"name": test["name"], "command": test["command"], "environment": environment,
                          "folder": properties.get("WORKING_DIRECTORY", str(target))})
    return tests


def resident(process):
    try:
        pages = int(pathlib.Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def run_test(test, environment, limit):
    """True when it passed, None when processor time or memory ran out; with the seconds of processor time it took.

    Other work on the machine changes nothing of that; what waits for ever has twenty times as long."""
    begin = time.monotonic()
    process = subprocess.Popen(test["command"], cwd=test["folder"], env={**os.environ, **test["environment"], **environment},
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit + 5))
    ended, pause = 0, 0.005
    while not ended and time.monotonic() - begin < 20 * limit and resident(process.pid) < MOST_MEMORY:
        time.sleep(pause)
        pause = min(2 * pause, 0.25)
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
    passed = None if not ended or os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU else status == 0
    if not passed:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if not ended:
            _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return passed, usage.ru_utime + usage.ru_stime


def record(test, folder, newest):
    """Which mutants the test reaches, and how long it takes; what is known of a program that is no newer stays.

    False when it fails without a mutant."""
    notes = folder / "reached" / re.sub(r"\W", "_", test["name"])
    known = notes.with_suffix(".json")
    if known.exists() and known.stat().st_mtime > max(newest, os.stat(test["command"][0]).st_mtime):
        told = json.loads(known.read_text())
    else:
        notes.unlink(missing_ok=True)
        passed, seconds = run_test(test, {"SKERRY_MUTANTS_REACHED": str(notes)}, 900)
        if not passed:
            return False
        told = {"seconds": seconds, "reaches": notes.read_text().split() if notes.exists() else []}
        known.write_text(json.dumps(told))
    test["seconds"], test["reaches"] = told["seconds"], {int(number) for number in told["reaches"]}
    return True


def record_all(tests, folder, target, pool):
    """The tests that pass without a mutant."""
    (folder / "reached").mkdir(parents=True, exist_ok=True)
    newest = max((path.stat().st_mtime for path in (target / "cli").glob("skerry")), default=0)
    passed = list(pool.map(lambda test: record(test, folder, newest), tests))
    for test, good in zip(tests, passed):
        if not good:
            print(f"mutate: {test['name']} fails without a mutant: left out", file=sys.stderr)
    return [test for test, good in zip(tests, passed) if good]


def judge(mutant, tests, options):
    """The mutant; the name of the test that sees it, or None; and the seconds that it took."""
    own, spent = tests_of(mutant), 0
    mine = [t for t in tests if mutant.number in t["reaches"] and (t["name"].startswith(own) or not options.quick)
            and t["seconds"] <= options.longest]
    if mutant.same or not mine:
        return mutant, "equivalent" if mutant.same else "not reached", 0
    for test in sorted(mine, key=lambda t: (not t["name"].startswith(own), t["seconds"])):
        passed, seconds = run_test(test, {"SKERRY_MUTANT": str(mutant.number)}, 10 + int(5 * test["seconds"]))
        spent += seconds
        if not passed:
            return mutant, test["name"] + (" (time or memory)" if passed is None else ""), spent
    return mutant, None, spent


def report(results):
    rooms = collections.defaultdict(collections.Counter)
    for mutant, verdict, seconds in results:
        count = rooms[room_of(mutant)]
        count[verdict if verdict in ("equivalent", "not reached") else "survived" if verdict is None else "killed"] += 1
        if verdict not in (None, "equivalent", "not reached"):
            count["seconds"] += seconds
    print(f"{'room':10} {'killed':>6} {'survived':>8} {'share':>6} {'equivalent':>10} {'not reached':>11} {'to kill':>8}")
    for room, count in sorted(rooms.items()):
        judged = count["killed"] + count["survived"]
        print(f"{room:10} {count['killed']:6} {count['survived']:8} {count['killed'] / max(judged, 1):6.1%} "
              f"{count['equivalent']:10} {count['not reached']:11} {count['seconds'] / max(count['killed'], 1):6.1f} s")


def run(options, folder, mutants):
    listed = bundled_tests(options.root) if options.programs else list_tests(build_folder(folder, options), options)
    tests = [test for test in listed if not LEFT_OUT.fullmatch(test["name"])]
    if options.quick:
        own = tuple(name for mutant in mutants for name in tests_of(mutant))
        tests = [test for test in tests if test["name"].startswith(own)]
    tests = [part for test in tests for part in by_suite(test) if options.thorough or not SLOW.match(part["name"])]
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tests = record_all(tests, folder, build_folder(folder, options), pool)
        for result in pool.map(lambda mutant: judge(mutant, tests, options), mutants):
            results.append(result)
            mutant, verdict, seconds = result
            print(f"{verdict or 'SURVIVED'}, {seconds:.1f} s: {mutant.number} {mutant.file}: {mutant.line}\n"
                  f"    {mutant.before}  =>  {mutant.after}", flush=True)
    report(results)
    if options.survivors:
        options.survivors.write_text(as_list([r[0] for r in results if r[1] is None]))
