// pgveil init: looks at a live database and writes a first configuration, policies, users and the setup
// script.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/init_files.hpp"
#include "cli/init_survey.hpp"
#include "cli/password_prompt.hpp"
#include "cli/setup_sql.hpp"
#include "cli/verbs.hpp"
#include "common/ascii.hpp"
#include "common/sql_quoting.hpp"
#include "daemon/access/users_edit.hpp"
#include "daemon/access/users_file.hpp"
#include "db/catalog/table_statistics.hpp"
#include "db/server/owner_login.hpp"
#include "draft/draft.hpp"

namespace pgveil::app {
namespace {

constexpr const char* kQueryRole = "pgveil_query";
constexpr const char* kAdminRole = "pgveil_admin";
constexpr const char* kQueryPassword = "query_password";
constexpr const char* kAdminPassword = "admin_password";
constexpr const char* kReaderPassword = "reader_password";
constexpr std::size_t kMostTold = 20;
// Debian and its like, Red Hat and its like, Alpine.
constexpr std::array<const char*, 3> kSystemFiles{"/etc/ssl/certs/ca-certificates.crt",
                                                  "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"};

struct InitArguments {
  std::string place;
  std::string folder = "pgveil";
  std::string reader = "analyst";
  std::optional<std::string> password_file;
  std::uint16_t listen_port = 6432;
  std::uint16_t page_port = 6480;
  unsigned seconds = 20;
  bool replaces = false;
};

// ---- the server

Result<db::OwnerLogin> log_in(const std::string& place) {
  auto login = db::log_in_as_owner(place, std::nullopt);
  if (login || login.error().kind != ErrorKind::authentication || ::isatty(STDIN_FILENO) == 0) return login;
  const auto password = ask_password("Password: ");
  if (!password) return password.error();
  return db::log_in_as_owner(place, *password);
}

// A role that pgveil logs in as, and the file with its password in the folder.
struct OwnRole {
  const char* name;
  const char* file;
  bool exists = false;
};
using OwnRoles = std::array<OwnRole, 2>;

// Errors: a role exists, and no file has its password.
Result<OwnRoles> own_roles(const db::OwnerLogin& login, const std::string& folder) {
  OwnRoles roles{{{kQueryRole, kQueryPassword}, {kAdminRole, kAdminPassword}}};
  for (auto& role : roles) {
    const auto exists = db::has_role(login.endpoint, login.database, role.name);
    if (!exists) return exists.error();
    role.exists = *exists;
    const auto file = std::filesystem::path(folder) / role.file;
    std::error_code ignored;
    if (!role.exists || std::filesystem::exists(file, ignored)) continue;
    return error_of_kind(
        ErrorKind::configuration, fmt::format("role {} exists, and its password is not known", role.name),
        fmt::format("write its password to {} (chmod 600), then run pgveil init again", file.string()));
  }
  return roles;
}

// The statement that gives a role the password of its file, in place of \password by hand. A role that
// exists has one already.
Result<std::string> password_sql(const InitFolder& folder, const OwnRole& role) {
  const auto password = folder.password(role.file);
  if (!password) return password.error();
  if (role.exists) return std::string();
  const auto verifier = new_verifier(password->text);
  if (!verifier) return verifier.error();
  return fmt::format("ALTER ROLE {} PASSWORD {};\n", quoted_name(role.name), quoted_literal(*verifier));
}

// Appended to the script.
Result<std::string> passwords_sql(const InitFolder& folder, const OwnRoles& roles) {
  std::string statements;
  for (const auto& role : roles) {
    auto statement = password_sql(folder, role);
    if (!statement) return statement.error();
    statements += *statement;
  }
  if (statements.empty()) return statements;
  return "\n-- 9. The passwords of pgveil's roles, as verifiers. pgveil init has written the passwords into "
         "files.\n" +
         statements;
}

// ---- writing

std::string policy_file(const draft::PlannedTable& planned) {
  return "policies/" + planned.policy + ".yaml";
}

Result<void> write_policies(const InitFolder& folder, const draft::Database& database,
                            const std::vector<draft::PlannedTable>& planned, const std::string& reader) {
  for (const auto& one : planned) {
    if (one.policy.empty()) continue;
    if (auto written = folder.write(policy_file(one), draft::policy_text(database, one, {reader})); !written)
      return written.error();
  }
  return {};
}

// The authorities that the configuration names, because it has no word for those of the system.
Result<std::string> authorities_of(const db::EndpointTls& tls) {
  if (tls.root_certificates != db::kSystemAuthorities) return tls.root_certificates;
  std::error_code ignored;
  for (const char* file : kSystemFiles) {
    if (std::filesystem::exists(file, ignored)) return std::string(file);
  }
  return error_of_kind(ErrorKind::configuration,
                       "sslrootcert=system: the file with the system's authorities is not known here",
                       "name it in the place of system: sslrootcert=/…/ca-certificates.crt");
}

Result<draft::ServerPlace> place_of(const db::OwnerLogin& login, const InitArguments& arguments) {
  draft::ServerPlace place{login.endpoint.host, login.endpoint.port, arguments.listen_port,
                           arguments.page_port, ""};
  if (!login.is_encrypted) return place;
  const db::EndpointTls& tls = login.endpoint.tls;
  auto authorities = authorities_of(tls);
  if (!authorities) return authorities.error();
  place.tls_mode = tls.sslmode;
  place.authorities = std::move(*authorities);
  if (!place.authorities.empty()) place.revoked = tls.revocation_lists;
  return place;
}

// How the reader's password is told.
Result<std::string> add_reader(const InitFolder& folder, const InitArguments& arguments) {
  InitFolder::Password password;
  if (arguments.password_file) {
    auto text = password_in_file(*arguments.password_file);
    if (!text) return text.error();
    password.text = std::move(*text);
  } else {
    auto made = folder.password(kReaderPassword);
    if (!made) return made.error();
    password = std::move(*made);
  }
  const auto state = folder.add_user(arguments.reader, password.text);
  if (!state) return state.error();
  if (*state == InitFolder::UserState::kept)
    return fmt::format("user {} keeps the password", arguments.reader);
  return fmt::format("the password of user {} is in {}", arguments.reader,
                     arguments.password_file ? *arguments.password_file : folder.path(kReaderPassword));
}

// ---- telling

std::size_t count_of(const draft::TableDraft& table, policy::ColumnClass column_class) {
  return static_cast<std::size_t>(
      std::ranges::count(table.columns, column_class, &draft::ColumnDraft::column_class));
}

void tell_policy(const draft::Database& database, const draft::PlannedTable& planned) {
  using policy::ColumnClass;
  const auto shown =
      count_of(planned.draft, ColumnClass::sensitive) + count_of(planned.draft, ColumnClass::insensitive);
  fmt::print(
      "  {}: {}, k = {}: {} columns disclosed where enough persons share the values, "
      "{} shown, {} hidden\n",
      draft::name_of(database.tables[planned.table]),
      planned.role.role == draft::Role::persons ? "persons" : "events of persons", planned.draft.k,
      count_of(planned.draft, ColumnClass::quasi_identifier), shown,
      count_of(planned.draft, ColumnClass::identifier));
}

void tell_tables(const draft::Database& database, const std::vector<draft::PlannedTable>& planned) {
  std::size_t policies = 0;
  std::size_t open = 0;
  std::size_t closed = 0;
  std::size_t forbidden = 0;
  for (const auto& one : planned) {
    if (!one.policy.empty() && ++policies <= kMostTold) tell_policy(database, one);
    if (one.role.role == draft::Role::reference) ++open;
    if (one.role.role == draft::Role::closed) ++closed;
    if (database.tables[one.table].obstacle == draft::Obstacle::no_right) ++forbidden;
  }
  if (policies > kMostTold) fmt::print("  … and {} more with a policy\n", policies - kMostTold);
  fmt::print("{} tables have a policy, {} are open, {} stay closed; pgveil.yaml has the reasons\n", policies,
             open, closed);
  if (forbidden > 0)
    fmt::print("you may not read {} of the closed tables: pgveil.yaml has the GRANT for each\n", forbidden);
}

std::string in_shell(const std::string& word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("_-./:").find(c) != std::string_view::npos;
  });
  if (is_plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void tell_next(const db::OwnerLogin& login, const InitFolder& folder, const std::string& password) {
  const std::string config = in_shell(folder.path("pgveil.yaml"));
  fmt::print(
      "\n{}. Read the policies: they are proposals. Then run, the first one as a superuser of "
      "PostgreSQL:\n\n",
      password);
  fmt::print("  psql -X -v ON_ERROR_STOP=1 -h {} -p {} -U postgres -d {} -f {}\n",
             in_shell(login.endpoint.host), login.endpoint.port, in_shell(login.database),
             in_shell(folder.path("setup.sql")));
  fmt::print("  pgveil policy build --all -c {}\n  pgveil serve -c {}\n", config, config);
}

// ---- all of it

ExistingFiles existing_files(const InitArguments& arguments) {
  return arguments.replaces ? ExistingFiles::replace : ExistingFiles::keep;
}

Result<void> check_tables(const draft::Database& database) {
  if (database.tables.empty()) {
    return error_of_kind(ErrorKind::policy,
                         fmt::format("database {} has no tables", quoted_name(database.name)),
                         "name the database that your tables are in");
  }
  const auto is_forbidden = [](const draft::TableFacts& table) {
    return table.obstacle == draft::Obstacle::no_right;
  };
  if (!std::ranges::all_of(database.tables, is_forbidden)) return {};
  return not_permitted(fmt::format("you may read none of the {} tables of database {}",
                                   database.tables.size(), quoted_name(database.name)),
                       "run pgveil init as their owner");
}

Result<void> init(const InitArguments& arguments) {
  if (auto checked = check_user_name(arguments.reader); !checked) return checked.error();
  // Before a long look at the server.
  if (auto possible = InitFolder::check(arguments.folder, existing_files(arguments)); !possible)
    return possible;
  const auto login = log_in(arguments.place);
  if (!login) return login.error();
  const auto place = place_of(*login, arguments);
  if (!place) return place.error();
  const auto roles = own_roles(*login, arguments.folder);
  if (!roles) return roles.error();
  const auto begun = std::chrono::steady_clock::now();
  const auto found = survey(*login, std::chrono::seconds(arguments.seconds));
  if (!found) return found.error();
  const auto& database = found->database;
  if (auto there = check_tables(database); !there) return there;
  const auto planned = draft::plan(database);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  fmt::print(
      "examined {} tables of {} in {:.1f} s{}\n", database.tables.size(), database.name, took.count(),
      found->unsampled == 0 ? "" : fmt::format("; {} of them without a sample of rows", found->unsampled));

  const auto folder = InitFolder::open(arguments.folder, existing_files(arguments));
  if (!folder) return folder.error();
  const auto passwords = passwords_sql(*folder, *roles);
  if (!passwords) return passwords.error();
  const auto told = add_reader(*folder, arguments);
  if (!told) return told.error();
  if (auto written = write_policies(*folder, database, planned, arguments.reader); !written) return written;
  const auto config = draft::config_text(database, planned, *place);
  if (auto written = folder->write("pgveil.yaml", config); !written) return written;
  const auto script = setup_sql_text(folder->path("pgveil.yaml"), std::nullopt, SetupScript::setup);
  if (!script) return script.error();
  if (auto written = folder->write("setup.sql", *script + *passwords); !written) return written;
  tell_tables(database, planned);
  tell_next(*login, *folder, *told);
  return {};
}

int run_init(const InitArguments& arguments) {
  const auto done = init(arguments);
  return done ? kSuccess : report(done.error());
}

}  // namespace

Verb add_init(CLI::App& parent, std::string&) {
  const auto arguments = std::make_shared<InitArguments>();
  auto* verb =
      parent.add_subcommand("init", "examine a database and write a first configuration with policies");
  verb->add_option("place", arguments->place,
                   "the database and its owner, in the form that psql accepts. The default is in "
                   "the environment (PGHOST, PGUSER …)");
  verb->add_option("--folder", arguments->folder, "where the files are written")->capture_default_str();
  verb->add_option("--reader", arguments->reader, "the user who may read the masked tables")
      ->capture_default_str();
  verb->add_option("--password-file", arguments->password_file,
                   "the user's password is the first line of this file. Without this option, a new "
                   "password is written to a file");
  verb->add_option("--listen-port", arguments->listen_port, "the port that clients connect to")
      ->capture_default_str();
  verb->add_option("--page-port", arguments->page_port, "the port of the web page")->capture_default_str();
  verb->add_option("--seconds", arguments->seconds, "the time limit for sampling rows")
      ->check(CLI::Range(0, 3600))
      ->capture_default_str();
  verb->add_flag("--force", arguments->replaces, "replace existing files. Passwords and users are kept");
  verb->footer(
      "Examples:\n  pgveil init postgres://owner@db.example.org/hospital\n"
      "  PGPASSFILE=owner.pgpass pgveil init --folder /etc/pgveil 'host=/run/postgresql dbname=shop'\n"
      "Rows are only counted, and no value is written to a file. docs/first-day.md tells what to do next.");
  return {verb, [=] { return run_init(*arguments); }};
}

}  // namespace pgveil::app
