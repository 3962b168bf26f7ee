// SPDX-License-Identifier: Apache-2.0
// Labels of the runs of a row, or of a band, from the left: number, component, label.
#include "label/cpu/bands/bands.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "label/cpu/bands/labels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "label/cpu/lanes/gather.hpp"

HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {

#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
HWY_INLINE void store_labels(__m512i labels, u8* to) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(labels));
}
HWY_INLINE void store_labels(__m512i labels, u16* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(labels));
}
HWY_INLINE void store_labels(__m512i labels, u32* to) { _mm512_storeu_si512(to, labels); }
#endif

// Looks up the labels of `count` runs, whose numbers are listed, or 0, 1, … without a list. Writes up to 15 labels too many.
template <class Label>
HWY_INLINE void look_up(const u32* numbers, const u32* component, u32 count, const u32* label, Label* labels) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
  for (u32 k = 0; k < count; k += gathered_at_once) {
    const __mmask16 these = first_lanes(count - k);
    const __m512i components = numbers != nullptr
                                   ? gathered(component, _mm512_maskz_loadu_epi32(these, numbers + k), these)
                                   : _mm512_maskz_loadu_epi32(these, component + k);
    store_labels(gathered(label, components, these), labels + k);
  }
#else
  for (u32 k = 0; k < count; ++k) labels[k] = static_cast<Label>(label[component[numbers != nullptr ? numbers[k] : k]]);
#endif
}

void look_up_u8(const u32* numbers, const u32* component, u32 count, const u32* label, u8* labels) {
  look_up(numbers, component, count, label, labels);
}
void look_up_u16(const u32* numbers, const u32* component, u32 count, const u32* label, u16* labels) {
  look_up(numbers, component, count, label, labels);
}
void look_up_u32(const u32* numbers, const u32* component, u32 count, const u32* label, u32* labels) {
  look_up(numbers, component, count, label, labels);
}

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::label_stages {
namespace {

HWY_EXPORT(look_up_u8);
HWY_EXPORT(look_up_u16);
HWY_EXPORT(look_up_u32);

template <class Label, class LookUp>
void look_up_row(const strip& s, i64 r, bool in_band, const u32* label, u32* numbers, Label* labels, LookUp look_up) {
  const row_runs runs = s.runs_of(r);
  if (in_band) number_from_left(s, runs, numbers);
  look_up(in_band ? numbers : nullptr, s.component.data() + runs.first, runs.count, label, labels);
  labels[-1] = 0;
}

}  // namespace

void labels_from_left(const strip& s, i64 r, bool in_band, const u32* label, u32* numbers, u8* labels) {
  look_up_row(s, r, in_band, label, numbers, labels, HWY_DYNAMIC_DISPATCH(look_up_u8));
}
void labels_from_left(const strip& s, i64 r, bool in_band, const u32* label, u32* numbers, u16* labels) {
  look_up_row(s, r, in_band, label, numbers, labels, HWY_DYNAMIC_DISPATCH(look_up_u16));
}
void labels_from_left(const strip& s, i64 r, bool in_band, const u32* label, u32* numbers, u32* labels) {
  look_up_row(s, r, in_band, label, numbers, labels, HWY_DYNAMIC_DISPATCH(look_up_u32));
}

}  // namespace skerry::label_stages
#endif
