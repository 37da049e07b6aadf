#pragma once
// The live sessions by the keys that their clients were told in BackendKeyData: for CancelRequest, for the
// limits on clients and for the end of the process. Those who have not logged in are counted apart from those
// who have, so that neither takes the other's places. Thread-safe.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/net/fair_places.hpp"

namespace pgveil::net {

class SessionDriver;

struct SessionKeys {
  std::uint32_t pid = 0;  // unique among live sessions, positive as a signed number
  std::uint32_t secret = 0;
};

struct ClientLimits {
  std::size_t clients = 500;  // that have logged in
  std::size_t kept = 5;       // more, for those whom places are kept for
  std::size_t one_role = 0;   // of them; 0: no limit
  std::size_t logging_in = 200;
};

// Those whose place was taken, and whose thread has not come to close them yet.
inline constexpr std::size_t kMostPutOut = 500;

enum class Admission {
  in,
  too_many,       // clients in all
  too_many_role,  // of this role
  too_late        // its place is another's now
};

class SessionRegistry {
 public:
  explicit SessionRegistry(ClientLimits limits) : limits_(limits), logging_in_(limits.logging_in) {}

  struct Place {
    SessionKeys keys;
    std::shared_ptr<SessionDriver> gone_for_it;  // its place: to be closed at once; null: nobody
  };
  // A place among those who have not logged in, and keys for it. nullopt: so many of those whose places were
  // taken are still there that this one can't be, too.
  [[nodiscard]] std::optional<Place> reserve(const std::string& neighbourhood);
  // Has logged in. is_kept: one of the places that are kept will do.
  [[nodiscard]] Admission admit(const SessionKeys& keys, const std::string& role, bool is_kept);
  void attach(const SessionKeys& keys, std::weak_ptr<SessionDriver> driver);
  void release(const SessionKeys& keys);

  // The session with exactly these keys; null when there is none.
  [[nodiscard]] std::shared_ptr<SessionDriver> find(const SessionKeys& keys) const;
  [[nodiscard]] std::vector<std::shared_ptr<SessionDriver>> all() const;
  [[nodiscard]] std::size_t count() const;
  // Of them, those who have not logged in.
  [[nodiscard]] std::size_t count_logging_in() const;

  // False when sessions are still there after `timeout`.
  bool wait_until_empty(std::chrono::milliseconds timeout);

 private:
  struct Entry {
    std::uint32_t secret = 0;
    std::weak_ptr<SessionDriver> driver;
    std::string role = {};  // once it is admitted
    bool is_in = false;
    bool is_put_out = false;  // before it had logged in
  };

  const ClientLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::unordered_map<std::uint32_t, Entry> by_pid_;
  std::map<std::string, std::size_t> by_role_;
  FairPlaces logging_in_;  // by pid
  std::size_t in_count_ = 0;
  std::size_t put_out_count_ = 0;
};

}  // namespace pgveil::net
