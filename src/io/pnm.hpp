// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "io/picture_decoder.hpp"

namespace skerry::io {

/// Netpbm's PBM, PGM, PPM (text and raw, P1 to P6), PAM (P7), and PFM (Pf, PF). Numbers are kept whatever the maxval is: up to
/// 255 they are u8, above u16; bits are 0 (black) and 255 (white); PFM is f32, its rows are turned so that the first is the
/// top. Raw files may hold several images, which are pages.
/// A reader of our own: libnetpbm ends the process at an error, and OpenImageIO 2.4 scales numbers to the whole range and
/// reads those above 32768 one too low. A pure function of the bytes.
[[nodiscard]] std::unique_ptr<picture_decoder> open_pnm(file_bytes bytes);

}  // namespace skerry::io
