// SPDX-License-Identifier: Apache-2.0
#include "io/codecs.hpp"
#include "io/codecs/decoders.hpp"

extern "C" [[gnu::visibility("default")]] const skerry::io::codec_functions* skerry_codecs() {
  using namespace skerry::io;
  static constexpr codec_functions functions = {open_by_library, open_fits, open_gif, open_webp, write_png};
  return &functions;
}
