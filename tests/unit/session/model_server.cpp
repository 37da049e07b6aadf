#include "tests/unit/session/model_server.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "proxy/session/conversation.hpp"
#include "tests/unit/session/frames.hpp"

namespace pgveil::session::testing {

namespace {

constexpr std::string_view kMark = "ok: ";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

bool is_protected(const std::string& text) {
  return text.find("people") != std::string::npos;
}

}  // namespace

ModelServer::Body ModelServer::body_of(std::string_view text) const {
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return {.text = std::string(text), .version = gate_.version, .is_held = false, .shape = shape_};
}

bool ModelServer::fail(std::string_view sqlstate, std::string_view message) {
  out_ += server_error(sqlstate, message);
  if (status_ == 'T') status_ = 'E';
  return false;
}

bool ModelServer::fail_as_stale() {
  ++stale_plans_;
  out_ += stale_plan_error();
  if (status_ == 'T') status_ = 'E';
  return false;
}

std::size_t ModelServer::own_statements() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      statements_, [](const auto& named) { return named.first.starts_with(kOwnNames); }));
}

void ModelServer::end_transaction() {
  status_ = 'I';
  has_unread_secret_ = false;
  std::erase_if(portals_, [](const auto& named) { return !named.second.is_held; });
}

void ModelServer::ready() {
  if (status_ == 'I') end_transaction();
  out_ += testing::ready(status_);
}

// The rows of a query; protected ones say so, and may fail with a row's value in the text.
bool ModelServer::select(const Body& body, Row row) {
  const bool is_secret = is_protected(body.text);
  if (is_secret) ++protected_runs_;
  if (is_secret && body.version != gate_.version) has_run_a_stale_version_ = true;
  if (row == Row::described) out_ += row_description(is_secret ? kSecretColumn : "open");
  if (chance(20)) return fail("22P02", is_secret ? kSecretMessage : "as it is");
  out_ += testing::row("x") + complete("SELECT 1");
  return true;
}

bool ModelServer::declare(const std::vector<std::string>& words, const Body& body) {
  const bool is_held = words.size() > 2 && words[2] == "HOLD";
  if (!is_held && status_ != 'T') return fail("25P01");
  if (portals_.contains(words[1])) return fail("42P03");
  portals_[words[1]] = {.text = "SELECT " + body.text, .version = body.version, .is_held = is_held};
  if (is_held && is_protected(body.text)) has_unread_secret_ = true;
  out_ += complete("DECLARE CURSOR");
  return true;
}

// At a commit PostgreSQL reads the rest of cursors WITH HOLD that the transaction declared, and may fail in a
// row.
bool ModelServer::read_held_cursors() {
  if (!std::exchange(has_unread_secret_, false) || !chance(20)) return true;
  portals_.clear();
  return fail("22P02", kSecretMessage);
}

bool ModelServer::change_names(const std::vector<std::string>& words, const Body& body) {
  const std::string& verb = words[0];
  const std::string name = words.size() > 1 ? words[1] : "";
  if (verb == "PREPARE") {
    if (statements_.contains(name)) return fail("42P05");
    statements_[name] = {.text = "SELECT " + body.text, .version = body.version};
    if (chance(5)) return fail("57014");
  } else if (verb == "DEALLOCATE" || verb == "CLOSE") {
    Names& names = verb == "CLOSE" ? portals_ : statements_;
    if (name == "ALL") {
      names.clear();
    } else if (names.erase(name) == 0) {
      return fail("26000");
    }
  } else {  // DISCARD ALL
    if (status_ == 'T') return fail("25001");
    statements_.clear();
    portals_.clear();
  }
  out_ += complete(verb);
  return true;
}

bool ModelServer::run_words(const std::vector<std::string>& words, const Body& body, Row row) {
  const std::string& verb = words[0];
  if (verb == "BEGIN") {
    status_ = 'T';
    out_ += complete(verb);
    return true;
  }
  if (verb == "COMMIT" || verb == "ROLLBACK") {
    const bool has_read_held = verb == "ROLLBACK" || read_held_cursors();
    end_transaction();
    if (!has_read_held) return false;
    out_ += complete(verb);
    return true;
  }
  if (verb == "DECLARE") return declare(words, body);
  if (verb == "EXECUTE" || verb == "FETCH") {
    const Names& names = verb == "FETCH" ? portals_ : statements_;
    const auto found = names.find(words[1]);
    if (found == names.end()) return fail("26000");
    const Body named = found->second;
    if (!named.text.empty()) return run(named, row);
    out_ += complete(verb);
    return true;
  }
  if (verb == "SELECT") return select(body, row);
  return change_names(words, body);
}

bool ModelServer::run(const Body& body, Row row) {
  const std::vector<std::string> words = words_of(body.text);
  if (words.empty()) {
    out_ += frames(wire::EmptyQueryResponse{});
    return true;
  }
  const bool ends_transaction = words[0] == "COMMIT" || words[0] == "ROLLBACK";
  if (status_ == 'E' && !ends_transaction) return fail("25P02");
  return run_words(words, body, row);
}

void ModelServer::on_query(const std::string& sql) {
  statements_.erase("");
  portals_.erase("");
  std::istringstream parts(sql);
  bool goes_on = true;
  if (sql == kRefusalText) goes_on = fail("42601");
  if (sql.empty()) out_ += frames(wire::EmptyQueryResponse{});
  for (std::string part; goes_on && std::getline(parts, part, ';');)
    goes_on = run(body_of(part), Row::described);
  ready();
}

void ModelServer::on_extended(const std::string& whole) {
  const auto decoded =
      wire::decode_frontend({.tag = whole[0], .body = std::string_view(whole).substr(5), .whole = whole});
  const wire::FrontendMessage& message = *decoded;
  bool goes_on = true;
  if (std::holds_alternative<wire::Flush>(message)) return;
  const auto* close = std::get_if<wire::Close>(&message);
  if (status_ == 'E' && close == nullptr) {
    goes_on = fail("25P02");
  } else if (const auto* parse = std::get_if<wire::Parse>(&message)) {
    if (parse->statement.empty()) statements_.erase("");
    const bool is_good = parse->sql != kRefusalText && !statements_.contains(parse->statement) && !chance(5);
    goes_on = is_good || fail("42601");
    if (is_good) statements_[parse->statement] = body_of(parse->sql);
    if (is_good) out_ += frames(wire::ParseComplete{});
  } else if (const auto* bind = std::get_if<wire::Bind>(&message)) {
    if (bind->portal.empty()) portals_.erase("");
    const auto found = statements_.find(bind->statement);
    const bool is_stale = found != statements_.end() && found->second.shape != shape_;
    const bool is_good =
        found != statements_.end() && !is_stale && !portals_.contains(bind->portal) && !chance(5);
    goes_on = is_good || (is_stale ? fail_as_stale() : fail("26000"));
    if (is_good) portals_[bind->portal] = found->second;
    if (is_good) out_ += frames(wire::BindComplete{});
  } else if (const auto* describe = std::get_if<wire::Describe>(&message)) {
    const bool is_portal = describe->target == wire::Target::portal;
    const Names& names = is_portal ? portals_ : statements_;
    const auto found = names.find(describe->name);
    goes_on = found != names.end() || fail("34000");
    if (goes_on && !is_portal) out_ += frames(wire::ParameterDescription{});
    if (goes_on) out_ += row_description(is_protected(found->second.text) ? kSecretColumn : "open");
  } else if (const auto* execute = std::get_if<wire::Execute>(&message)) {
    const auto found = portals_.find(execute->portal);
    const Body body = found == portals_.end() ? Body{} : found->second;
    goes_on = found == portals_.end() ? fail("34000") : run(body, Row::plain);
  } else if (close != nullptr) {
    (close->target == wire::Target::portal ? portals_ : statements_).erase(close->name);
    out_ += frames(wire::CloseComplete{});
  }
  is_skipping_ = !goes_on;
}

std::string ModelServer::receive(std::string_view to_backend) {
  if (chance(2)) ++shape_;
  wire::Framer framer(1 << 30);
  framer.feed(to_backend);
  for (auto frame = framer.peek(); frame && *frame; frame = framer.peek()) {
    const char tag = (*frame)->tag;
    if (tag == wire::Sync::tag) {
      is_skipping_ = false;
      if (status_ == 'I') static_cast<void>(read_held_cursors());
      ready();
    } else if (!is_skipping_ && tag == wire::Query::tag) {
      on_query(wire::decode_as<wire::Query>((*frame)->body)->sql);
    } else if (!is_skipping_ && tag != wire::Terminate::tag) {
      on_extended(std::string((*frame)->whole));
    }
    framer.pop(**frame);
  }
  return std::exchange(out_, {});
}

}  // namespace pgveil::session::testing
