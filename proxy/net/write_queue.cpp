#include "proxy/net/write_queue.hpp"

#include <utility>

#include "common/assert.hpp"

namespace pgveil::net {
namespace {

constexpr std::size_t kJoinBelowBytes = 16 * 1024;  // copying this much is cheaper than an additional piece
constexpr std::size_t kMostLent = 16;               // buffers of one write

}  // namespace

void WriteQueue::push(std::string bytes) {
  if (bytes.empty()) return;
  size_bytes_ += bytes.size();
  const bool last_is_free = pieces_.size() > lent_.size();
  if (last_is_free && pieces_.back().size() + bytes.size() <= kJoinBelowBytes) {
    pieces_.back() += bytes;
  } else {
    pieces_.push_back(std::move(bytes));
  }
}

std::span<const boost::asio::const_buffer> WriteQueue::front() {
  lent_.clear();
  for (const std::string& piece : pieces_) {
    if (lent_.size() == kMostLent) break;
    lent_.push_back(boost::asio::buffer(piece));
  }
  if (!lent_.empty()) lent_.front() += first_offset_;
  return lent_;
}

void WriteQueue::take(std::size_t size_bytes) {
  PGVEIL_ASSERT(size_bytes <= size_bytes_);
  size_bytes_ -= size_bytes;
  first_offset_ += size_bytes;
  while (!pieces_.empty() && first_offset_ >= pieces_.front().size()) {
    first_offset_ -= pieces_.front().size();
    pieces_.pop_front();
  }
  lent_.clear();
  if (pieces_.empty()) lent_.shrink_to_fit();
}

void WriteQueue::clear() {
  pieces_.clear();
  lent_ = {};
  first_offset_ = size_bytes_ = 0;
}

}  // namespace pgveil::net
