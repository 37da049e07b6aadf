#include "proxy/net/write_queue.hpp"

#include <algorithm>
#include <utility>

#include "common/assert.hpp"

namespace pgveil::net {
namespace {

constexpr std::size_t kJoinBelowBytes = 16 * 1024;  // copying this much is cheaper than an additional piece

}  // namespace

void WriteQueue::push(std::string bytes) {
  if (bytes.empty()) return;
  size_bytes_ += bytes.size();
  const bool last_is_free = pieces_.size() > lent_count_;
  if (last_is_free && pieces_.back().size() + bytes.size() <= kJoinBelowBytes) {
    pieces_.back() += bytes;
  } else {
    pieces_.push_back(std::move(bytes));
  }
}

std::span<const boost::asio::const_buffer> WriteQueue::front() {
  lent_count_ = std::min(pieces_.size(), lent_.size());
  for (std::size_t i = 0; i < lent_count_; ++i) {
    lent_[i] = boost::asio::buffer(pieces_[i]);
  }
  if (lent_count_ > 0) lent_[0] += first_offset_;
  return {lent_.data(), lent_count_};
}

void WriteQueue::take(std::size_t size_bytes) {
  PGVEIL_ASSERT(size_bytes <= size_bytes_);
  size_bytes_ -= size_bytes;
  first_offset_ += size_bytes;
  while (!pieces_.empty() && first_offset_ >= pieces_.front().size()) {
    first_offset_ -= pieces_.front().size();
    pieces_.pop_front();
  }
  lent_count_ = 0;
}

void WriteQueue::clear() {
  pieces_.clear();
  first_offset_ = size_bytes_ = lent_count_ = 0;
}

}  // namespace pgveil::net
