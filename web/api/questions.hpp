#pragma once
// The question about a design (what if, curve, sample) that each session of the page waits for. A newer one
// takes the place of the older one, because nobody looks at the older answer any more. Thread-safe.
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace pgveil::app {

class Questions {
 public:
  // Stands for one question as long as it lives. The Questions must outlive it.
  class Question {
   public:
    Question(Questions& questions, std::uint64_t session);
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;
    ~Question();
    // A newer question took its place, or the session cancelled it.
    [[nodiscard]] bool is_ended() const { return is_ended_->load(); }

   private:
    Questions& questions_;
    const std::uint64_t session_;
    const std::shared_ptr<std::atomic<bool>> is_ended_ = std::make_shared<std::atomic<bool>>(false);
  };

  // False: the session has no question.
  bool cancel(std::uint64_t session);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<std::atomic<bool>>> current_;  // by session
};

}  // namespace pgveil::app
