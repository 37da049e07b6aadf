#include "rewriter/catalog/search_path.hpp"

#include <algorithm>
#include <utility>

#include "common/ascii.hpp"
#include "common/sql_quoting.hpp"

namespace pgveil::rewriter {
namespace {

constexpr std::string_view kSpaces = " \t\n\r\f";

// PostgreSQL also quotes key words. SHOW is for people, so here names that look plain stay unquoted.
bool is_plain(std::string_view name) {
  const auto is_start = [](char c) { return is_lower(c) || c == '_'; };
  const auto is_part = [&](char c) { return is_start(c) || is_digit(c) || c == '$'; };
  return !name.empty() && is_start(name.front()) && std::ranges::all_of(name, is_part);
}

// Takes one name from the front of `left`; nullopt: there is none.
std::optional<std::string> take_name(std::string_view& left) {
  std::string name;
  if (!left.starts_with('"')) {
    const std::size_t size = std::min(left.find_first_of(", \t\n\r\f"), left.size());
    if (size == 0) return std::nullopt;
    for (const char c : left.substr(0, size)) name += lower(c);
    left.remove_prefix(size);
    return name;
  }
  for (std::size_t i = 1; i < left.size(); ++i) {
    if (left[i] == '"') {
      if (i + 1 == left.size() || left[i + 1] != '"') {
        left.remove_prefix(i + 1);
        return name;
      }
      ++i;
    }
    name += left[i];
  }
  return std::nullopt;
}

void skip_spaces(std::string_view& left) {
  left.remove_prefix(std::min(left.find_first_not_of(kSpaces), left.size()));
}

bool same(const std::shared_ptr<const SchemaNames>& left, const std::shared_ptr<const SchemaNames>& right) {
  return left == right || (left != nullptr && right != nullptr && *left == *right);
}

// Writes lengths first, so that one name can never look like two.
void add_to_key(std::string& key, const SchemaNames* names) {
  if (names == nullptr) {
    key += "-;";
    return;
  }
  key += std::to_string(names->size()) + ';';
  for (const std::string& name : *names) key += std::to_string(name.size()) + ':' + name;
}

}  // namespace

std::optional<SchemaNames> parse_schema_list(std::string_view text) {
  SchemaNames names;
  skip_spaces(text);
  if (text.empty()) return names;
  while (true) {
    auto name = take_name(text);
    if (!name) return std::nullopt;
    names.push_back(std::move(*name));
    skip_spaces(text);
    if (text.empty()) return names;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
    skip_spaces(text);
  }
}

std::string schema_list_text(const SchemaNames& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += is_plain(name) ? name : quoted_name(name);
  }
  return text;
}

// Savepoints are shared between copies of a path, and there can be many. So they are freed one by one, not by
// recursion.
struct SearchPath::Savepoint {
  Savepoint(std::string the_name, Path the_session, Path the_current, Savepoints the_outer)
      : name(std::move(the_name)),
        session(std::move(the_session)),
        current(std::move(the_current)),
        outer(std::move(the_outer)) {}
  Savepoint(const Savepoint&) = delete;
  Savepoint& operator=(const Savepoint&) = delete;
  ~Savepoint() {
    for (Savepoints next = std::move(outer); next != nullptr && next.use_count() == 1;) {
      next = std::move(next->outer);
    }
  }

  std::string name;
  Path session;
  Path current;
  mutable Savepoints outer;
};

SearchPath::SearchPath(SchemaNames at_start)
    : at_start_(std::make_shared<const SchemaNames>(std::move(at_start))),
      transaction_start_(at_start_),
      session_(at_start_),
      current_(at_start_) {}

void SearchPath::end(const Path& left) {
  transaction_start_ = session_ = current_ = Path(left);
  savepoints_ = nullptr;
  has_failed_ = false;
}

SearchPath::Savepoints SearchPath::find(std::string_view name) const {
  const Savepoint* at = savepoints_.get();
  if (at == nullptr || at->name == name) return savepoints_;
  for (; at->outer != nullptr; at = at->outer.get()) {
    if (at->outer->name == name) return at->outer;
  }
  return nullptr;
}

void SearchPath::apply(const PathEffect& effect) {
  switch (effect.kind) {
    case PathEffect::Kind::set: session_ = current_ = effect.schemas; return;
    case PathEffect::Kind::set_local: current_ = effect.schemas; return;
    case PathEffect::Kind::reset:
    case PathEffect::Kind::reset_all: session_ = current_ = at_start_; return;
    case PathEffect::Kind::reset_local: current_ = at_start_; return;
    case PathEffect::Kind::transaction_mode:
    case PathEffect::Kind::default_mode: return;
    case PathEffect::Kind::commit: return end_transaction();
    case PathEffect::Kind::rollback: return end(transaction_start_);
    case PathEffect::Kind::savepoint:
      savepoints_ = std::make_shared<const Savepoint>(effect.savepoint, session_, current_, savepoints_);
      return;
    case PathEffect::Kind::release:
      // An unknown name is an error of the server's, and later statements are then not run.
      if (const Savepoints found = find(effect.savepoint)) savepoints_ = found->outer;
      return;
    case PathEffect::Kind::rollback_to:
      if (const Savepoints found = find(effect.savepoint)) {
        session_ = found->session;
        current_ = found->current;
        savepoints_ = found;
        has_failed_ = false;
      }
      return;
  }
}

bool SearchPath::is_uniform() const {
  if (!same(current_, session_) || !same(current_, transaction_start_) || !same(current_, at_start_))
    return false;
  for (const Savepoint* at = savepoints_.get(); at != nullptr; at = at->outer.get()) {
    if (!same(current_, at->session) || !same(current_, at->current)) return false;
  }
  return true;
}

std::string SearchPath::key() const {
  if (current_ == nullptr && is_uniform()) return {};
  std::string key;
  add_to_key(key, current_.get());
  if (is_uniform()) return key;
  for (const Path& path : {session_, transaction_start_, at_start_}) add_to_key(key, path.get());
  key += has_failed_ ? 'f' : 'r';
  for (const Savepoint* at = savepoints_.get(); at != nullptr; at = at->outer.get()) {
    key += std::to_string(at->name.size()) + ':' + at->name;
    add_to_key(key, at->session.get());
    add_to_key(key, at->current.get());
  }
  return key;
}

ResolvedPath resolve_path(const SearchPath& path, const Catalog& catalog, const std::string& role) {
  ResolvedPath out;
  if (path.schemas() == nullptr) {
    out.schemas = catalog.search_path;
    return out;
  }
  const auto is_listed = [&](const std::string& name) {
    return name == "information_schema" ||
           std::ranges::find(catalog.search_path, name) != catalog.search_path.end();
  };
  for (const std::string& listed : *path.schemas()) {
    const std::string& name = listed == "$user" ? role : listed;
    if (name == "pg_temp" || !is_listed(name)) continue;
    if (std::ranges::find(out.schemas, name) == out.schemas.end()) out.schemas.push_back(name);
  }
  out.is_catalog_implicit = std::ranges::find(out.schemas, "pg_catalog") == out.schemas.end();
  if (out.is_catalog_implicit) out.schemas.insert(out.schemas.begin(), "pg_catalog");
  return out;
}

}  // namespace pgveil::rewriter
