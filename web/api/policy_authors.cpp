#include "web/api/policy_authors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <cerrno>
#include <utility>
#include <vector>

#include "common/files/seen_file.hpp"
#include "common/sha256.hpp"
#include "common/sqlstate.hpp"
#include "console/quote.hpp"
#include "daemon/state/proposed_file.hpp"
#include "settings/policy_folder.hpp"
#include "web/api/applied_files.hpp"
#include "web/api/json.hpp"
#include "web/api/mistake_position.hpp"
#include "web/api/state.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;
using Outcome = PolicyAuthors::Outcome;
using Text = std::optional<std::string>;

constexpr std::size_t kMostShownFile = 200;

json::array names_json(const std::vector<std::string>& names) {
  json::array out;
  for (const auto& name : names) out.push_back(json::string(name));
  return out;
}

Outcome failed(const Error& error) {
  json::object body{{"message", error.public_message}};
  if (!error.hint.empty()) body["hint"] = error.hint;
  if (!error.sqlstate.empty()) body["sqlstate"] = error.sqlstate;
  return {http_status_of(error), std::move(body), error.sqlstate.empty() ? "XX000" : error.sqlstate};
}

std::string hash_words(const Text& text) {
  return text ? "SHA256 " + sha256_hex(*text) : std::string("NO FILE");
}

std::string file_words(const std::string& file) {
  return console::shown_name(file.substr(0, kMostShownFile));
}

// The file is not what its author has seen.
Outcome changed(const std::string& file, const Text& now) {
  json::value there(nullptr);
  if (now) there = json::object{{"name", file}, {"tag", tag_of(*now)}, {"yaml", *now}};
  return {
      409,
      {{"message", now ? "the file has changed since you looked at it" : "the file is not there any more"},
       {"hint", "see what is there now, then apply your text to that"},
       {"sqlstate", sqlstate::kSerializationFailure},
       {"now", std::move(there)}},
      std::string(sqlstate::kSerializationFailure)};
}

// What an operator does so that pgveil may write there.
Outcome unwritable(const Error& error, const Config& config) {
  const auto folder = policy_folder(config);
  Error told = error;
  told.hint = fmt::format(
      "pgveil's user needs the right to write into {} (chown, chmod; under systemd also ReadWritePaths)",
      folder ? folder->path : "the folder of the file");
  return failed(told);
}

bool is_same_tag(const Text& seen, const Text& text) {
  if (!seen || !text) return !seen && !text;
  return *seen == tag_of(*text);
}

json::object error_json(const Error& error) {
  auto place = place_json(error, kProposedName);
  const bool has_place = error.public_message.starts_with(kProposedName);
  return {{"message", place.at("message")},
          {"line", has_place ? place.at("line") : json::value(nullptr)},
          {"column", has_place ? place.at("column") : json::value(nullptr)},
          {"hint", error.hint.empty() ? json::value(nullptr) : json::value(error.hint)}};
}

json::array missing_json(const ProposedFile& proposed) {
  json::array out;
  for (const auto& missing : proposed.missing)
    out.push_back(
        {{"database", missing.database}, {"what", missing.right.what}, {"sql", missing.right.sql + ";"}});
  return out;
}

json::object proposed_json(const ProposedFile& proposed) {
  json::array errors, policies;
  for (const auto& error : proposed.errors) errors.push_back(error_json(error));
  for (const auto& spec : proposed.policies) {
    const bool is_known =
        std::ranges::find(proposed.former, spec.name, &policy::PolicySpec::name) != proposed.former.end();
    policies.push_back({{"name", spec.name},
                        {"database", spec.database},
                        {"table", spec.schema + "." + spec.table},
                        {"is_new", !is_known}});
  }
  return {{"errors", std::move(errors)},
          {"warnings", names_json(proposed.warnings)},
          {"missing", missing_json(proposed)},
          {"policies", std::move(policies)},
          {"removed", names_json(proposed.removed)},
          {"shows_more", names_json(proposed.shows_more)}};
}

Outcome refused(const ProposedFile& proposed) {
  auto body = proposed_json(proposed);
  body["message"] = error_json(proposed.errors.front()).at("message");
  body["sqlstate"] = sqlstate::kInvalidParameterValue;
  return {400, std::move(body), std::string(sqlstate::kInvalidParameterValue)};
}

// The file as it is, and what the text would do there.
struct Looked {
  std::string path;
  Text former;
  ProposedFile proposed;
};

Result<Looked> look(const Present& present, const FileChange& change) {
  Looked looked;
  if (change.yaml.size() > kMostDesignBytes)
    return error_of_kind(ErrorKind::usage, "the text is longer than 1 MiB", "divide it into several files");
  const auto path = policy_file_named(present.config, change.file);
  if (!path) return path.error();
  looked.path = *path;
  auto former = read_seen(looked.path, kMostDesignBytes);
  if (!former) return former.error();
  looked.former = std::move(*former);
  auto proposed = examine_proposed(present, looked.path, change.yaml, looked.former);
  if (!proposed) return proposed.error();
  looked.proposed = std::move(*proposed);
  return looked;
}

bool has_failed(const console::Answer& reload) {
  if (!reload) return true;
  return std::ranges::any_of(reload->rows,
                             [](const auto& row) { return row.size() > 1 && row[1] == "error"; });
}

std::string reason_of(const console::Answer& reload) {
  if (!reload) return reload.error().public_message;
  const auto failed = std::ranges::find_if(
      reload->rows, [](const auto& row) { return row.size() > 2 && row[1] == "error" && row[2]; });
  return failed == reload->rows.end() ? std::string("it gives no reason") : *(*failed)[2];
}

json::value reload_json(const console::Answer& reload) {
  if (reload) return json_of(*reload);
  return json::object{{"message", reload.error().public_message}};
}

json::value file_json(const std::string& file, const Text& text) {
  return json::object{{"name", file}, {"tag", text ? json::value(tag_of(*text)) : json::value(nullptr)}};
}

json::array policies_json(ServingState& serving, const std::vector<policy::PolicySpec>& policies) {
  json::array out;
  const auto now = serving.present();
  for (const auto& spec : policies) {
    const auto state = policy_now(*now, serving.running_builds(), spec.name);
    if (!state) continue;
    out.push_back(
        {{"name", spec.name}, {"needs_build", !state->at("closed_because").is_null()}, {"state", *state}});
  }
  return out;
}

// Writes and reloads. What was there is put back if that fails.
struct Change {
  std::string file, path;
  Text before, after;
};

Outcome reload_failed(const Change& change, const console::Answer& reload) {
  const auto restored = change_seen(change.path, change.after, change.before);
  const bool is_restored = restored && *restored;
  return {409,
          {{"message", "the configuration can't be reloaded with it: " + reason_of(reload)},
           {"hint", is_restored ? "nothing has changed: the former file was put back"
                                : "the file could not be put back; mend it where pgveil runs"},
           {"sqlstate", sqlstate::kObjectNotInPrerequisiteState},
           {"restored", is_restored},
           {"reload", reload_json(reload)}},
          std::string(sqlstate::kObjectNotInPrerequisiteState)};
}

}  // namespace

Outcome PolicyAuthors::check(const FileChange& change) {
  const auto now = serving_.present();
  const auto looked = look(*now, change);
  if (!looked) return failed(looked.error());
  if (!is_same_tag(change.seen, looked->former)) return changed(change.file, looked->former);
  return {200, proposed_json(looked->proposed), ""};
}

Outcome PolicyAuthors::apply(const std::string& role, const FileChange& change, const Say& say) {
  const std::lock_guard lock(mutex_);
  const auto now = serving_.present();
  auto looked = look(*now, change);
  if (!looked) return failed(looked.error());
  if (!is_same_tag(change.seen, looked->former)) return changed(change.file, looked->former);
  const auto& proposed = looked->proposed;
  if (!proposed.errors.empty()) return refused(proposed);
  const Change made{change.file, looked->path, looked->former, change.yaml};
  std::vector<std::string> names;
  for (const auto& spec : proposed.policies) names.push_back(console::shown_name(spec.name));
  if (!say(fmt::format("WRITE POLICY FILE {} {} IN PLACE OF {}: POLICIES {}", file_words(made.file),
                       hash_words(made.after), hash_words(made.before), fmt::join(names, ", "))))
    return failed(unrecorded());
  const AppliedFiles records(now->config.state_dir);
  const auto id = records.keep({made.file, made.path, made.before, made.after});
  if (!id) return failed(id.error());
  const auto written = change_seen(made.path, made.before, made.after);
  if (!written || !*written) {
    records.remove(*id);
    if (!written) return unwritable(written.error(), now->config);
    const auto there = read_seen(made.path, kMostDesignBytes);
    return there ? changed(made.file, *there) : failed(there.error());
  }
  const auto reload = console_.run({role, "RELOAD"});
  if (has_failed(reload)) {
    records.remove(*id);
    return reload_failed(made, reload);
  }
  json::object body{{"undo", *id},
                    {"file", file_json(made.file, made.after)},
                    {"reload", reload_json(reload)},
                    {"policies", policies_json(serving_, proposed.policies)},
                    {"missing", missing_json(proposed)},
                    {"warnings", names_json(proposed.warnings)},
                    {"removed", names_json(proposed.removed)}};
  return {200, std::move(body), ""};
}

Outcome PolicyAuthors::undo(const std::string& role, const std::string& id, const Say& say) {
  const std::lock_guard lock(mutex_);
  const auto now = serving_.present();
  const AppliedFiles records(now->config.state_dir);
  const auto record = records.find(id);
  if (!record) return failed(record.error());
  // The configuration may have other folders by now.
  const auto path = policy_file_named(now->config, record->file);
  if (!path || *path != record->path)
    return failed(error_of_kind(ErrorKind::unknown_object, "the configuration has no such file any more",
                                "restore it where pgveil runs"));
  const auto there = read_seen(*path, kMostDesignBytes);
  if (!there) return failed(there.error());
  if (*there != record->applied) return changed(record->file, *there);
  const Change made{record->file, *path, record->applied, record->former};
  if (!say(fmt::format("RESTORE POLICY FILE {} {} IN PLACE OF {}", file_words(made.file),
                       hash_words(made.after), hash_words(made.before))))
    return failed(unrecorded());
  const auto written = change_seen(made.path, made.before, made.after);
  if (!written) return unwritable(written.error(), now->config);
  if (!*written) return changed(made.file, std::nullopt);
  const auto reload = console_.run({role, "RELOAD"});
  if (has_failed(reload)) return reload_failed(made, reload);
  records.remove(id);
  std::vector<policy::PolicySpec> policies;
  for (const auto& spec : serving_.present()->specs) {
    if (spec->at.file == made.path) policies.push_back(*spec);
  }
  return {200,
          {{"file", file_json(made.file, made.after)},
           {"reload", reload_json(reload)},
           {"policies", policies_json(serving_, policies)}},
          ""};
}

}  // namespace pgveil::app
