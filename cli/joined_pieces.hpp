// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace skerry::cli {

/// Pieces of bands, joined in pairs of about equal size, so that each is copied seldom and few are there at a time.
template <class Piece>
class joined_pieces {
 public:
  void add(Piece piece) {
    pieces_.push_back(std::move(piece));
    while (pieces_.size() > 1 && pieces_[pieces_.size() - 2].memory() <= 2 * pieces_.back().memory()) {
      pieces_[pieces_.size() - 2] = join(pieces_[pieces_.size() - 2], pieces_.back());
      pieces_.pop_back();
    }
  }
  [[nodiscard]] std::uint64_t memory() const {
    std::uint64_t sum = 0;
    for (const Piece& piece : pieces_) sum += piece.memory();
    return sum;
  }
  [[nodiscard]] std::vector<Piece>& all() { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

}  // namespace skerry::cli
