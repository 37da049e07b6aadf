#pragma once
// Ends the waiting for a server that no longer answers.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace pgveil::db {

// While it lives: when the time is up, the socket is shut down, so that whoever waits for the server on it
// fails. The socket must stay open until the destructor has run.
class Deadline {
 public:
  Deadline(int socket, std::chrono::milliseconds time);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline();

  // Whether the time was up. The value is final once the destructor has run or it is true.
  [[nodiscard]] bool has_passed() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;  // the work ended in time
  bool has_passed_ = false;
  std::thread watch_;
};

}  // namespace pgveil::db
