# SPDX-License-Identifier: Apache-2.0
"""Of which revision the results of the papers are, and which of them one page may join.

bench/run-papers writes the revision into the head of each file. Results of one revision are joined; any other pair only if JOINED has it,
with a reason, which the page shows.
"""
import sys

NOT_RECORDED, NOT_KNOWN = "not recorded", "not known"  # by an older file; by bench/run-papers, without Git
# By the names of both files: what is known of revisions that are not recorded, and why they are joined.
JOINED = {
    ("2026-11-30-h200-papers.json", "2026-11-29-xeon-papers-cpu.json"):
        "of the code that runs on the CPU, tables of noise with 8 neighbours became faster in between (by up to 11 % with AVX-512, by up to a third without), and so did labels without AVX-512.",
}


def of(head):
    return head.get("revision", NOT_RECORDED)


def is_certain(revision):
    """A revision with local changes can be anything."""
    return revision not in (NOT_RECORDED, NOT_KNOWN) and not revision.endswith("-dirty")


def note(gpu, cpu=None):
    """The line about the revisions of one or two results, each as (name, head); exits if they may not be joined."""
    if cpu is None:
        return [f"Revision: {of(gpu[1])}."]
    revisions, reason = [of(head) for _, head in (gpu, cpu)], JOINED.get((gpu[0], cpu[0]))
    if revisions[0] == revisions[1] and is_certain(revisions[0]):
        if reason:
            sys.exit(f"bench/papers/revisions.py: JOINED has {gpu[0]} and {cpu[0]}, which are of one revision: remove it")
        return [f"Both results are of revision {revisions[0]}."]
    if reason is None:
        sys.exit(f"{gpu[0]} is of revision {revisions[0]}, {cpu[0]} of {revisions[1]}: measure both at one revision, or give a reason to join "
                 "them in JOINED of bench/papers/revisions.py")
    return [f"Revision of the results: {revisions[0]} (`{gpu[0]}`) and {revisions[1]} (`{cpu[0]}`); {reason}"]
