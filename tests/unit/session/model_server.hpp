#pragma once
// PostgreSQL's rules for names, transactions and errors, as a small server that answers at once. It knows
// what is protected from the texts it gets (FakeGate's), says so in everything it answers, and notes when it
// is made to run what belongs to an earlier version.
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/session/fake_gate.hpp"

namespace pgveil::session::testing {

class ModelServer {
 public:
  // What only a protected statement's answers hold; a client must never see either.
  static constexpr std::string_view kSecretMessage = "Smith";
  static constexpr std::string_view kSecretColumn = "secret";

  ModelServer(const FakeGate& gate, std::mt19937& random) : gate_(gate), random_(random) {}

  // Whole frames in, whole frames out.
  [[nodiscard]] std::string receive(std::string_view to_backend);
  [[nodiscard]] bool has_run_a_stale_version() const { return has_run_a_stale_version_; }
  [[nodiscard]] std::size_t protected_runs() const { return protected_runs_; }
  // Statements that pgveil has named.
  [[nodiscard]] std::size_t own_statements() const;
  [[nodiscard]] std::size_t stale_plans() const { return stale_plans_; }  // that it has refused to bind

 private:
  struct Body {
    std::string text;           // without FakeGate's mark
    std::uint64_t version = 0;  // current when it came
    bool is_held = false;
    std::uint64_t shape = 0;  // of the tables, when it came
  };
  using Names = std::map<std::string, Body>;
  enum class Row { described, plain };

  void on_query(const std::string& sql);
  void on_extended(const std::string& whole);
  bool run(const Body& body, Row row);
  bool run_words(const std::vector<std::string>& words, const Body& body, Row row);
  bool change_names(const std::vector<std::string>& words, const Body& body);
  bool select(const Body& body, Row row);
  bool declare(const std::vector<std::string>& words, const Body& body);
  bool read_held_cursors();
  bool fail(std::string_view sqlstate, std::string_view message = "as it is");
  bool fail_as_stale();
  void end_transaction();
  void ready();
  [[nodiscard]] bool chance(unsigned percent) { return random_() % 100 < percent; }
  [[nodiscard]] Body body_of(std::string_view text) const;

  const FakeGate& gate_;
  std::mt19937& random_;
  Names statements_;
  Names portals_;
  char status_ = 'I';
  bool is_skipping_ = false;
  bool has_unread_secret_ = false;
  bool has_run_a_stale_version_ = false;
  std::size_t protected_runs_ = 0;
  std::size_t stale_plans_ = 0;
  std::uint64_t shape_ = 0;  // somebody alters the tables
  std::string out_;
};

}  // namespace pgveil::session::testing
