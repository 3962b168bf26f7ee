# SPDX-License-Identifier: Apache-2.0
"""The rule by which a claim holds, does not hold, or is not comparable; every claim of every paper is judged by it."""

QUARTER, MUCH, LITTLE, MOST, ALMOST_ALL = 1.25, 2, 0.15, 0.5, 0.75
HOLDS, FAILS, APART = "**holds**", "**does not hold here**", "**not comparable**"
NO_CAUSE = "not looked for yet"
HEAD = ["| claim | here | shown by | |", "| --- | --- | --- | --- |"]


def rule(head, samples):
    return [
        f"* A claim is {APART} when what it speaks of is not here: a device, a program, a picture, a definition. The row names it. A "
        "number of a text that depends on a picture of its own is given and not judged; the words around it are.",
        f"* Every other claim is judged by the numbers of this run, by means of time over densities, and {HOLDS} or {FAILS}. That is so, "
        "too, for kernels that no text prints and that were written from a description (all of HA, the second kernel of FLSL, "
        "`playne-direct`, `playne-block`; [papers.md](papers.md)), and for a program that another method stands in for: the row says so.",
        f"* A number holds within a quarter of it; so does \"about as\". \"Much\", \"slow\" and \"effective\" are a factor of {MUCH}; "
        f"\"small\" and \"hardly\" at most {100 * LITTLE:.0f} %; \"most\" and \"dominates\" more than {100 * MOST:.0f} %; \"almost all\" at "
        f"least {100 * ALMOST_ALL:.0f} %. A bare \"faster\", \"best\" or \"fewer\" is the sign alone.",
        f"* What {FAILS.strip('*')} has its cause in a sentence, from the numbers of the same run."]


def near(value, text):
    return text / QUARTER <= value <= text * QUARTER


def judged(claim, holds, shown, facts, because=NO_CAUSE):
    """A row of the table. `because`: why it does not hold; a page with NO_CAUSE is not published."""
    return claim, HOLDS if holds else FAILS, shown, facts if holds else f"{facts}. Cause: {because}"


def apart(claim, shown, missing):
    return claim, APART, shown, missing


BLOCKS = {"rule": rule}
