// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <tuple>
#include <utility>

#include "blocks/outline_state.hpp"
#include "engine/stop.hpp"

namespace skerry::blocks {
namespace {

constexpr std::size_t no_part = ~std::size_t{0};

bool earlier(const corner& a, const corner& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }

class connected_chains {
 public:
  connected_chains(const chain_list& parts, chain_list& open, chain_list& closed)
      : parts_(parts), open_(open), closed_(closed), first_(parts.chains.size()), next_(parts.chains.size(), no_part),
        is_next_(parts.chains.size()) {
    u64 vertices = 0;
    for (std::size_t i = 0; i < first_.size(); ++i) {
      first_[i] = vertices;
      vertices += parts.chains[i].vertices;
    }
  }

  void connect() {
    const std::vector<outline_chain>& all = parts_.chains;
    std::vector<std::size_t> by_begin(all.size());
    std::iota(by_begin.begin(), by_begin.end(), std::size_t{0});
    std::sort(by_begin.begin(), by_begin.end(),
              [&](std::size_t a, std::size_t b) { return all[a].begin < all[b].begin; });
    for (std::size_t i = 0; i < all.size(); ++i) {
      stop_point();
      const auto at = std::lower_bound(by_begin.begin(), by_begin.end(), all[i].end,
                                       [&](std::size_t chain, u64 end) { return all[chain].begin < end; });
      if (at == by_begin.end() || all[*at].begin != all[i].end) continue;
      if (all[*at].order != all[i].order) refuse("pieces: neighbouring blocks have other labels in their halos");
      next_[i] = *at;
      is_next_[*at] = true;
    }
    for (const std::size_t head : by_begin)
      if (!is_next_[head]) follow(head);
    for (const std::size_t part : by_begin)
      if (next_[part] != no_part) follow(part);  // all that is left are rings
  }

 private:
  // Appends the chain that begins with this part, and takes its parts apart.
  void follow(std::size_t head) {
    outline_chain made = parts_.chains[head];
    made.vertices = 0;
    found_.clear();
    std::size_t at = head;
    while (true) {
      const outline_chain& part = parts_.chains[at];
      const auto first = parts_.vertices.begin() + static_cast<std::ptrdiff_t>(first_[at]);
      found_.insert(found_.end(), first, first + static_cast<std::ptrdiff_t>(part.vertices));
      made.component = std::min(made.component, part.component);
      made.end = part.end;
      const std::size_t next = std::exchange(next_[at], no_part);
      if (next == no_part || next == head) {
        made.vertices = found_.size();
        if (next == head) add_ring(made);
        else (made.is_closed() ? closed_ : open_).add(made, found_.data());
        return;
      }
      at = next;
    }
  }
  void add_ring(outline_chain ring) {
    std::rotate(found_.begin(), std::min_element(found_.begin(), found_.end(), earlier), found_.end());
    ring.begin = ring.end = 0;
    closed_.add(ring, found_.data());
  }

  const chain_list& parts_;
  chain_list &open_, &closed_;
  std::vector<u64> first_;
  std::vector<std::size_t> next_;
  std::vector<bool> is_next_;
  std::vector<corner> found_;
};

}  // namespace

void connect(const chain_list& parts, chain_list& open, chain_list& closed) {
  connected_chains(parts, open, closed).connect();
}

void sort_chains(chain_list& closed) {
  std::vector<u64> first(closed.chains.size());
  std::vector<std::size_t> order(closed.chains.size());
  for (std::size_t i = 1; i < first.size(); ++i) first[i] = first[i - 1] + closed.chains[i - 1].vertices;
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const corner& at = closed.vertices[first[i]];
    const outline_chain& chain = closed.chains[i];
    return std::tuple(at.y, at.x, chain.order, chain.begin);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return key(i) < key(j); });
  chain_list sorted;
  for (const std::size_t i : order) sorted.add(closed.chains[i], closed.vertices.data() + first[i]);
  closed = std::move(sorted);
}

}  // namespace skerry::blocks
