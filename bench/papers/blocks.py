# SPDX-License-Identifier: Apache-2.0
"""All tables of docs/reproduction.md, by the names of their marks."""
import bounds
import claims
import devices
import rivals
import tables
import tables_streams
import verdict

BLOCKS = {**devices.BLOCKS, **bounds.BLOCKS, **verdict.BLOCKS, **tables.BLOCKS, **tables_streams.BLOCKS, **rivals.BLOCKS, **claims.BLOCKS}
