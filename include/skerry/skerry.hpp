// SPDX-License-Identifier: Apache-2.0
// Everything that skerry offers, but for cuda.hpp, which needs CUDA's headers, and published.hpp, a library of its own.
#pragma once
#include "skerry/block_piece.hpp"     // IWYU pragma: export
#include "skerry/blocks.hpp"          // IWYU pragma: export
#include "skerry/column_blocks.hpp"   // IWYU pragma: export
#include "skerry/columns.hpp"         // IWYU pragma: export
#include "skerry/contacts.hpp"        // IWYU pragma: export
#include "skerry/engine.hpp"          // IWYU pragma: export
#include "skerry/error.hpp"           // IWYU pragma: export
#include "skerry/feature.hpp"         // IWYU pragma: export
#include "skerry/image.hpp"           // IWYU pragma: export
#include "skerry/label.hpp"           // IWYU pragma: export
#include "skerry/max_tree.hpp"        // IWYU pragma: export
#include "skerry/measure.hpp"         // IWYU pragma: export
#include "skerry/outline.hpp"         // IWYU pragma: export
#include "skerry/outline_blocks.hpp"  // IWYU pragma: export
#include "skerry/region_blocks.hpp"   // IWYU pragma: export
#include "skerry/region_values.hpp"   // IWYU pragma: export
#include "skerry/regions.hpp"         // IWYU pragma: export
#include "skerry/relabel.hpp"         // IWYU pragma: export
#include "skerry/slabs.hpp"           // IWYU pragma: export
#include "skerry/threshold.hpp"       // IWYU pragma: export
#include "skerry/track.hpp"           // IWYU pragma: export
#include "skerry/tree_blocks.hpp"     // IWYU pragma: export
#include "skerry/tree_stream.hpp"     // IWYU pragma: export
#include "skerry/version.hpp"         // IWYU pragma: export
