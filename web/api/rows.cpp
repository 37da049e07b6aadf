#include "web/api/rows.hpp"

#include <fmt/format.h>

#include "common/sqlstate.hpp"
#include "console/quote.hpp"
#include "daemon/state/login_account.hpp"
#include "proxy/net/vouched_client.hpp"
#include "settings/config.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kMostNameBytes = 63;  // PostgreSQL has no longer names

Error not_masked(std::string_view why) {
  return {ErrorKind::usage, std::string(sqlstate::kInsufficientPrivilege),
          fmt::format("rows are shown of masked roles only, and this one {}", why),
          "choose a role that reads through masks"};
}

Result<void> check_role(const Present& present, const RowsQuestion& question) {
  if (question.role.empty() || question.role.size() > kMostNameBytes ||
      question.database.size() > kMostNameBytes)
    return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
                 "no name of a role or a database is like this", "names have 1 to 63 bytes"};
  if (find_bypass(present.config, question.role) != nullptr) return not_masked("is a bypass role");
  if (is_exempt_somewhere(present.specs, question.role)) return not_masked("is exempt from a policy");
  return {};
}

class Place {
 public:
  explicit Place(std::atomic<int>& running) : running_(running), is_taken_(++running <= WebRows::kAtOnce) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { --running_; }
  [[nodiscard]] bool is_taken() const { return is_taken_; }

 private:
  std::atomic<int>& running_;
  const bool is_taken_;
};

}  // namespace

Result<console::Table> WebRows::ask(const Present& present, const RowsQuestion& question) {
  if (auto fits = check_role(present, question); !fits) return fits.error();
  const Place place(running_);
  if (!place.is_taken())
    return Error{ErrorKind::limit, std::string(sqlstate::kProgramLimitExceeded),
                 "other questions are being answered", "ask again in a moment"};
  auto answer =
      net::ask_vouched(server_, {question.role, question.database, question.sql, WebRows::kMostRows});
  if (!answer) return answer.error();
  console::Table table{std::move(answer->columns), std::move(answer->rows), "SELECT", {}};
  if (answer->has_more) table.notices.push_back(fmt::format("the first {} rows; there are more", kMostRows));
  return table;
}

std::string audited_words(const RowsQuestion& question) {
  return fmt::format("MASKED ROWS FOR ROLE {} IN DATABASE {}", console::shown_name(question.role),
                     console::shown_name(question.database));
}

}  // namespace pgveil::app
