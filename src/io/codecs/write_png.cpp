// SPDX-License-Identifier: Apache-2.0
// PNG by OpenImageIO.
#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>

#include <exception>
#include <memory>
#include <stdexcept>

#include "io/codecs/decoders.hpp"
#include "io/codecs/messages.hpp"

namespace skerry::io {
namespace {

using OIIO::ImageOutput;
using OIIO::ImageSpec;
using OIIO::TypeDesc;

// Lets OpenImageIO write into a sink, and remembers the first error: its encoders do not all report one.
class proxy : public OIIO::Filesystem::IOProxy {
 public:
  explicit proxy(const byte_sink& sink) : IOProxy("picture.png", Write), sink_(sink) {}
  [[nodiscard]] const char* proxytype() const override { return "sink"; }
  std::size_t write(const void* bytes, std::size_t count) override {
    try {
      sink_(bytes, count, m_pos);
      m_pos += static_cast<std::int64_t>(count);
      end_ = std::max(end_, m_pos);
      return count;
    } catch (...) {  // must not pass through C
      if (!first_error_) first_error_ = std::current_exception();
      return 0;
    }
  }
  [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(end_); }

  void rethrow() const {
    if (first_error_) std::rethrow_exception(first_error_);
  }

 private:
  const byte_sink& sink_;
  std::int64_t end_ = 0;
  std::exception_ptr first_error_;
};

[[noreturn]] void fail(const std::string& detail) {
  throw std::runtime_error("cannot be written: " + detail.substr(0, detail.find('\n')));
}

}  // namespace

void write_png(const png_picture& picture, const byte_sink& sink) {
  const codec_messages messages;
  const TypeDesc type = picture.bits == 8 ? TypeDesc::UINT8 : TypeDesc::UINT16;
  ImageSpec spec(static_cast<int>(picture.width), static_cast<int>(picture.height), picture.channels, type);
  spec.attribute("png:compressionLevel", 3);
  spec.attribute("Software", "skerry");

  proxy to(sink);
  const std::unique_ptr<ImageOutput> output = ImageOutput::create("png");
  if (!output) fail(OIIO::geterror());
  output->set_ioproxy(&to);
  const auto check = [&](bool done) {
    to.rethrow();
    if (!done) fail(output->geterror());
  };
  check(output->open("picture.png", spec));
  check(output->write_image(type, picture.pixels));
  check(output->close());
}

}  // namespace skerry::io
