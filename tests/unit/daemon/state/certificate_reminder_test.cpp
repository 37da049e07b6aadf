#include "daemon/state/certificate_reminder.hpp"

#include <doctest/doctest.h>

namespace pgveil::app {
namespace {

constexpr std::int64_t kOneHour = 60 * 60;
constexpr std::int64_t kOneDay = 24 * kOneHour;

// At a time in seconds, on both clocks.
class RemindedWorld {
 public:
  std::vector<std::string> due(const std::vector<ShownCertificate>& certificates, std::int64_t now) {
    return reminder_.due(certificates, now,
                         CertificateReminder::Clock::time_point(std::chrono::seconds(now)));
  }

 private:
  CertificateReminder reminder_;
};

ShownCertificate shown_until(std::string_view listener, std::int64_t until) {
  return {listener, "key", "file", {0, until}};
}

}  // namespace

TEST_CASE("a certificate that the start has logged is told again once a day") {
  RemindedWorld world;
  const auto ending = shown_until("clients", 5 * kOneDay);
  CHECK(world.due({ending}, kOneHour).empty());
  CHECK(world.due({ending}, kOneDay).empty());
  CHECK(world.due({ending}, kOneDay + kOneHour) ==
        std::vector<std::string>{warning_about(ending, kOneDay + kOneHour)});
  CHECK(world.due({ending}, kOneDay + kOneHour + 1).empty());
  CHECK(world.due({ending}, 2 * kOneDay + kOneHour).size() == 1);
}

TEST_CASE("a certificate is told at once when it ends soon, and when it is over") {
  RemindedWorld world;
  const auto ending = shown_until("page", 20 * kOneDay);
  CHECK(world.due({ending}, kOneHour).empty());
  CHECK(world.due({ending}, 3 * kOneDay).empty());
  CHECK(world.due({ending}, 6 * kOneDay + 1).size() == 1);
  CHECK(world.due({ending}, 6 * kOneDay + 2).empty());
  CHECK(world.due({ending}, 20 * kOneDay + 1) ==
        std::vector<std::string>{warning_about(ending, 20 * kOneDay + 1)});
  CHECK(world.due({ending}, 20 * kOneDay + 2).empty());
}

TEST_CASE("a file that RELOAD has read is not told at once, and each listener has its own day") {
  RemindedWorld world;
  CHECK(world.due({shown_until("clients", 5 * kOneDay)}, kOneHour).empty());
  CHECK(world.due({shown_until("clients", 3 * kOneDay), shown_until("page", 5 * kOneDay)}, 2 * kOneHour)
            .empty());
  CHECK(world.due({shown_until("clients", 3 * kOneDay), shown_until("page", 9 * kOneDay)}, 3 * kOneHour)
            .empty());
  CHECK(world.due({shown_until("clients", 3 * kOneDay), shown_until("page", 9 * kOneDay)},
                  kOneDay + 2 * kOneHour) ==
        std::vector<std::string>{warning_about(shown_until("clients", 3 * kOneDay), kOneDay + 2 * kOneHour)});
  CHECK(world.due({shown_until("clients", 100 * kOneDay), shown_until("page", 100 * kOneDay)}, 3 * kOneDay)
            .empty());
  CHECK(world.due({shown_until("clients", 100 * kOneDay), shown_until("page", 100 * kOneDay)}, 5 * kOneDay)
            .empty());
}

}  // namespace pgveil::app
