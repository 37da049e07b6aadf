#include "web/api/questions.hpp"

namespace pgveil::app {

Questions::Question::Question(Questions& questions, std::uint64_t session)
    : questions_(questions), session_(session) {
  const std::lock_guard lock(questions_.mutex_);
  auto& current = questions_.current_[session_];
  if (current) *current = true;
  current = is_ended_;
}

Questions::Question::~Question() {
  const std::lock_guard lock(questions_.mutex_);
  const auto found = questions_.current_.find(session_);
  if (found != questions_.current_.end() && found->second == is_ended_) questions_.current_.erase(found);
}

bool Questions::cancel(std::uint64_t session) {
  const std::lock_guard lock(mutex_);
  const auto found = current_.find(session);
  if (found == current_.end()) return false;
  *found->second = true;
  return true;
}

}  // namespace pgveil::app
