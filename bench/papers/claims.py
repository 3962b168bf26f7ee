# SPDX-License-Identifier: Apache-2.0
"""What the papers claim, next to what was measured, each by the rule of verdict.py."""
from claims_others import block_fill, max_tree, six_phases, tree_merge
from claims_votes import taming_votes
from tables import row
from verdict import APART, FAILS, HEAD, HOLDS

PAPERS = {"002": taming_votes, "000": tree_merge, "001": six_phases, "003": block_fill, "004": max_tree}


def block_of(paper):
    return lambda head, samples: [*HEAD, *[row(*claim) for claim in paper(head, samples)]]


def summary_of(paper):
    """The claims of a paper by how they are judged."""
    def lines(head, samples):
        claims = list(paper(head, samples))
        texts = {mark: [text for text, how, *_ in claims if how == mark] for mark in (HOLDS, FAILS, APART)}
        return ["Claims:", ""] + [f"* {how} ({len(some)}): " + "; ".join(some) + "." for how, some in texts.items() if some]
    return lines


BLOCKS = {f"claims of {number}": block_of(paper) for number, paper in PAPERS.items()}
SUMMARIES = {f"summary of {number}": summary_of(paper) for number, paper in PAPERS.items()}
