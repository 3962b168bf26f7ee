// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "skerry/outline.hpp"

namespace skerry::reference {

/// The outlines of a label image of rank 2; arguments have been checked.
outline_table outline(const outline_request& asked);

}  // namespace skerry::reference
