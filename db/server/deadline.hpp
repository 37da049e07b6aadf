#pragma once
// An end to waiting for a server that says nothing any more.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace pgveil::db {

// While it lives: when time is up, the socket is shut down, so that whoever waits for the server on it fails
// there. The socket must stay open for as long.
class Deadline {
 public:
  Deadline(int socket, std::chrono::milliseconds time);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline();

  // Time was up. Final once the destructor has run or it is true.
  [[nodiscard]] bool has_passed() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;  // in time
  bool has_passed_ = false;
  std::thread watch_;
};

}  // namespace pgveil::db
