// SPDX-License-Identifier: Apache-2.0
// Every column of a table of regions, from its definition.
#pragma once
#include "skerry/columns.hpp"

namespace skerry::reference {

/// Fills the columns of a table, whose names are there; arguments have been checked. `regions` has the labels.
void measure_columns(const image_view& labels, const column_request& asked, const region_table& regions,
                     column_table& table);

}  // namespace skerry::reference
