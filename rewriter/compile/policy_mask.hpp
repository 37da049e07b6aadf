#pragma once
// The mask of one policy, compiled and verified, as a function of one value. Compiling a large tree takes
// seconds, and a BUILD changes one policy of many. So a snapshot takes over from its predecessor each mask
// whose inputs are equal, and makes only the others.
//
// A mask that was verified once needs no second check, for these reasons. make_policy_mask gets a MaskInputs
// and nothing else: it has no catalog, no server and no clock to ask, and of the policy it sees only the
// members below. The inputs of the compiler and of the verifier are in the same value, and this value is what
// is compared. So equal inputs give equal masks with equal verdicts, and a new member is compared as well
// because it is a member. What can change while the inputs stay equal (the table under its name, the current
// version, rights) is checked by the guards and by the snapshot, never by the mask's text.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/in_parts.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/mask/look_up.hpp"
#include "rewriter/mask/mask.hpp"
#include "rewriter/mask/mask_form.hpp"

namespace pgveil::rewriter {

// Versions are compared by content: a version that was read again is equal to itself.
struct VersionValue {
  std::shared_ptr<const policy::PolicyVersion> version;  // not null
  bool operator==(const VersionValue& other) const {
    return version == other.version || *version == *other.version;
  }
};

struct MaskedColumn {
  std::string name;
  policy::ColumnClass column_class = policy::ColumnClass::identifier;
  bool operator==(const MaskedColumn&) const = default;
};

struct MaskInputs {
  std::string policy;
  std::vector<MaskedColumn> columns;  // of the policy, in its order
  policy::Enforcement enforcement = policy::Enforcement::query;
  VersionValue version;
  Relation table;
  std::optional<Relation> copy;  // only with enforcement: copy
  VersionGuard guard = VersionGuard::absent;
  MaskSource source = MaskSource::text;
  LookUps look_ups = LookUps::yes;
  bool operator==(const MaskInputs&) const = default;
};

struct PolicyMask {
  MaskInputs inputs;
  std::shared_ptr<const Mask> mask;
  std::string
      // with enforcement: stored, why the mask is nevertheless in each query; empty when it is not
      not_stored_because;
};

// REQUIRES: the version is of the table, check_policy found no error, and the copy exists where the policy is
// enforced by one. Errors: ErrorKind::policy, also for a mask that its verifier does not accept; a type text
// of the catalog that does not parse.
[[nodiscard]] Result<std::shared_ptr<const PolicyMask>> make_policy_mask(MaskInputs inputs,
                                                                         const InParts& in_parts = in_turn);

}  // namespace pgveil::rewriter
