// SPDX-License-Identifier: Apache-2.0
// The columns of a table of components, ready to be written, alone or with others.
#pragma once
#include <string_view>

#include "core/portable.hpp"
#include "engine/cpu/write_columns.hpp"
#include "skerry/measure.hpp"

namespace skerry {

// As double, or as u64 where the column has integers; the table outlives what is returned. Throws invalid_argument for a name that the
// table does not have, or of something that was not measured.
template <class Value>
[[nodiscard]] written_column column_in_pixels(const feature_table& table, std::string_view name);

extern template written_column column_in_pixels<double>(const feature_table&, std::string_view);
extern template written_column column_in_pixels<u64>(const feature_table&, std::string_view);

// The same with the names of columns in units, as double.
[[nodiscard]] written_column column_in_units(const feature_table& table, std::string_view name,
                                             const pixel_spacing& spacing);

}  // namespace skerry
