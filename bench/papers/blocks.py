# SPDX-License-Identifier: Apache-2.0
"""All tables of docs/reproduction.md, by the names of their marks."""
import claims
import devices
import tables
import verdict

BLOCKS = {**devices.BLOCKS, **verdict.BLOCKS, **tables.BLOCKS, **claims.BLOCKS}
