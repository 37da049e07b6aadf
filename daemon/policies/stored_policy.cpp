#include "daemon/policies/stored_policy.hpp"

#include <fmt/format.h>

#include "common/files/whole_file.hpp"
#include "daemon/policies/versions.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

Result<StoredPolicy> read_stored_policy(const std::string& path, const std::string& policy) {
  const auto config = read_config(path);
  if (!config) return config.error();
  const auto specs = read_policy_files(*config);
  if (!specs) return specs.error();
  const auto spec = find_policy(*specs, policy);
  if (!spec) return spec.error();
  const auto versions = Versions::open(*config, (*spec)->database);
  if (!versions) return versions.error();
  const auto all = versions->load({*spec});
  if (!all) return all.error();
  const auto& stored = all->versions.at(policy);
  if (!stored) return stored.error();
  if (!stored->version) {
    return Error{ErrorKind::policy, "42501", fmt::format("policy {} was never built", policy),
                 fmt::format("pgveil policy build {}", policy)};
  }
  StoredPolicy out{*spec, stored->version, ""};
  if (stored->withdrawn) {
    out.note = "withdrawn: " + *stored->withdrawn;
  } else if (!policy::is_built_from(*stored->version, **spec)) {
    out.note = "the policy was edited since this version was built";
  }
  return out;
}

Result<policy::PolicyVersion> read_version_file(const std::string& path, const std::string& policy) {
  const auto text = read_whole(path, policy::kMaxVersionBytes);
  if (!text) return text.error();
  if (!*text)
    return Error{ErrorKind::io, "58030", fmt::format("there is no file {}", path), "check the path"};
  auto version = policy::version_from_json(**text, path);
  if (version && version->policy != policy) {
    return Error{ErrorKind::configuration, "22023",
                 fmt::format("{} is a version of policy {}", path, version->policy),
                 fmt::format("take one of {}", policy)};
  }
  return version;
}

}  // namespace pgveil::app
