// SPDX-License-Identifier: Apache-2.0
#include "io/formats.hpp"

#include <algorithm>
#include <cctype>

namespace skerry::io {
namespace {

using enum format_reader;

constexpr file_format formats[] = {
    {"npy", ".npy", npy, "", "bool u8 u16 u32 u64 i8 i16 i32 i64 f16 f32 f64; both byte orders, C and Fortran order",
     "2 axes are an image, 3 a volume", "all that is read"},
    {"tiff", ".tif .tiff", tiff, "",
     "what NPY has, and 2 to 15 bits as stored, in u8 or u16; any compression that libtiff knows",
     "pages are a volume; colours and palettes are grey", "what NPY has"},
    {"png", ".png", library, "png", "1 to 8 bits as u8, 16 as u16", "colours and palettes are grey", "u8 u16"},
    {"pnm", ".pbm .pgm .ppm .pam .pnm .pfm", pnm, "", "bits as 0 and 255, u8, u16, f32; numbers as stored",
     "images of one file are a volume, colours grey", ""},
    {"fits", ".fits .fit .fts", fits, "", "what NPY has, after BSCALE and BZERO; BLANK is NaN",
     "2 axes are an image, 3 a volume; of several images one is chosen by --page", ""},
    {"gif", ".gif", gif, "", "u8", "frames as a viewer shows them: images in time, colours grey", "u8 (films)"},
    {"webp", ".webp", webp, "", "u8", "frames as a viewer shows them: images in time, colours grey", ""},
    {"jpeg", ".jpg .jpeg", library, "jpeg", "u8", "colours grey; the orientation of Exif is not applied", ""},
    {"jpeg2000", ".jp2 .j2k .j2c", library, "jpeg2000", "u8 u16", "colours grey", ""},
    {"bmp", ".bmp", library, "bmp", "u8", "colours grey", ""},
    {"tga", ".tga", library, "targa", "u8", "colours grey", ""},
    {"openexr", ".exr", library, "openexr", "f16 f32 u32", "parts are a volume, colours grey", ""},
    {"hdr", ".hdr", library, "hdr", "f32", "colours grey", ""},
    {"video", ".mp4 .mov .avi .mkv .webm", none, "", "make frames of it: ffmpeg -i FILM frames/%06d.png", "", ""},
    {"heif", ".heic .heif .avif", none, "", "", "", ""},
    {"dicom", ".dcm", none, "", "", "", ""},
    {"nifti", ".nii", none, "", "", "", ""},
    {"hdf5", ".h5 .hdf5 .nc", none, "", "", "", ""},
    {"psd", ".psd", none, "", "", "", ""},
    {"dpx", ".dpx", none, "", "", "", ""},
    {"cineon", ".cin", none, "", "", "", ""},
    {"sgi", ".sgi .rgb", none, "", "", "", ""},
    {"ico", ".ico", none, "", "", "", ""},
    {"dds", ".dds", none, "", "", "", ""},
    {"gzip", ".gz", none, "", "unpack it first", "", ""},
    {"zip", ".zip", none, "", "unpack it first", "", ""},
    {"pdf", ".pdf", none, "", "", "", ""},
    {"czi", ".czi", none, "", "", "", ""},
    {"nd2", ".nd2", none, "", "", "", ""},
};

// Bytes at a place of the file.
struct signature {
  std::string_view format;
  std::size_t at;
  std::string_view bytes;
};
using namespace std::string_view_literals;
constexpr signature signatures[] = {
    {"npy", 0, "\x93NUMPY"sv},
    {"tiff", 0, "II\x2a\0"sv},
    {"tiff", 0, "MM\0\x2a"sv},
    {"tiff", 0, "II\x2b\0"sv},
    {"tiff", 0, "MM\0\x2b"sv},
    {"png", 0, "\x89PNG"sv},
    {"fits", 0, "SIMPLE  ="sv},
    {"gif", 0, "GIF87a"sv},
    {"gif", 0, "GIF89a"sv},
    {"webp", 8, "WEBPVP8"sv},
    {"jpeg", 0, "\xff\xd8\xff"sv},
    {"jpeg2000", 0, "\0\0\0\x0cjP  \r\n"sv},
    {"jpeg2000", 0, "\xff\x4f\xff\x51"sv},
    {"bmp", 0, "BM"sv},
    {"openexr", 0, "\x76\x2f\x31\x01"sv},
    {"hdr", 0, "#?RADIANCE"sv},
    {"hdr", 0, "#?RGBE"sv},
    {"heif", 4, "ftypheic"sv},
    {"heif", 4, "ftypheix"sv},
    {"heif", 4, "ftypmif1"sv},
    {"heif", 4, "ftypmsf1"sv},
    {"heif", 4, "ftyphevc"sv},
    {"heif", 4, "ftypavif"sv},
    {"heif", 4, "ftypavis"sv},
    {"video", 4, "ftyp"sv},
    {"video", 4, "moov"sv},
    {"video", 8, "AVI LIST"sv},
    {"video", 0, "\x1a\x45\xdf\xa3"sv},
    {"dicom", 128, "DICM"sv},
    {"nifti", 344, "n+1\0"sv},
    {"nifti", 344, "ni1\0"sv},
    {"nifti", 4, "n+2\0"sv},
    {"hdf5", 0, "\x89HDF"sv},
    {"psd", 0, "8BPS"sv},
    {"dpx", 0, "SDPX"sv},
    {"dpx", 0, "XPDS"sv},
    {"cineon", 0, "\x80\x2a\x5f\xd7"sv},
    {"sgi", 0, "\x01\xda"sv},
    {"ico", 0, "\0\0\1\0"sv},
    {"dds", 0, "DDS "sv},
    {"gzip", 0, "\x1f\x8b"sv},
    {"zip", 0, "PK\3\4"sv},
    {"pdf", 0, "%PDF"sv},
    {"czi", 0, "ZISRAWFILE"sv},
    {"nd2", 0, "\xda\xce\xbe\x0a"sv},
};

const file_format* named(std::string_view name) {
  const auto* found = std::find_if(std::begin(formats), std::end(formats),
                                   [&](const file_format& format) { return name == format.name; });
  return found == std::end(formats) ? nullptr : found;
}

bool is_pnm(std::string_view start) {
  return start.size() >= 3 && start[0] == 'P' && "1234567fF"sv.find(start[1]) != std::string_view::npos &&
         (std::isspace(static_cast<unsigned char>(start[2])) != 0 || start[2] == '#');
}

// ".tif" of "A.TIF"; nothing without a dot.
std::string ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  std::string ending(dot == std::string_view::npos ? "" : name.substr(dot));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

}  // namespace

std::span<const file_format> file_formats() { return formats; }

bool has_image_ending(std::string_view name) {
  const std::string ending = ending_of(name);
  return std::any_of(std::begin(formats), std::end(formats), [&](const file_format& format) {
    return !ending.empty() && (' ' + std::string(format.endings) + ' ').find(' ' + ending + ' ') != std::string::npos;
  });
}

const file_format* recognise(std::string_view start, std::string_view name) {
  if (name.ends_with(".npy")) return named("npy");
  for (const signature& each : signatures)
    if (start.size() >= each.at && start.substr(each.at).starts_with(each.bytes)) return named(each.format);
  if (is_pnm(start)) return named("pnm");
  return ending_of(name) == ".tga" ? named("tga") : nullptr;  // the only one without a signature
}

std::string refusal_of(const file_format& format) {
  std::string name = format.name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const std::string remedy = *format.types != '\0' ? format.types : "convert it to TIFF or NPY";
  return "is of the format " + name + ", which is not read; " + remedy;
}

std::string readable_formats() {
  std::string names;
  for (const file_format& format : formats)
    if (format.reader != none) names += (names.empty() ? "" : " ") + std::string(format.name);
  return names;
}

}  // namespace skerry::io
