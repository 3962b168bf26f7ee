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
    """How many claims of a paper hold, and which do not."""
    def lines(head, samples):
        claims = list(paper(head, samples))
        texts = {mark: [text for text, how, *_ in claims if how == mark] for mark in (HOLDS, FAILS, APART)}
        return [f"Of {len(claims)} claims {len(texts[HOLDS])} hold, {len(texts[FAILS])} do not hold here and {len(texts[APART])} are not "
                "comparable.", ""] + [f"* {how}: " + "; ".join(some) + "." for how, some in texts.items() if some]
    return lines


BLOCKS = {f"claims of {number}": block_of(paper) for number, paper in PAPERS.items()}
SUMMARIES = {f"summary of {number}": summary_of(paper) for number, paper in PAPERS.items()}
