#pragma once
// The one way to read a file that holds a secret or decides who comes in: passwords, keys, the users file,
// the access file, certificates of authorities and their revocation lists.
//
// The question is who could have put the text there, or can read it. So the way to the file is walked folder
// by folder, each opened in the one before it, and what is asked is asked of what was opened, never of a
// name:
// - each folder belongs to root or to us, and nobody else may put files there (or the folder is sticky, as
// /tmp, where nobody can
//   take another's file away; or a folder above it lets nobody else in);
// - links are followed (Debian's certificates and Kubernetes' secrets are links), but only root's and our
// own;
// - the file is a regular one of root's or ours that nobody else may write; a secret's may be read by nobody
// else, by a group only
//   when root owns it (as PostgreSQL has it for keys).
// What is read is the descriptor that was checked: there is no second look at the path between the two.
#include <sys/stat.h>

#include <cstddef>
#include <string>

#include "common/error.hpp"

namespace pgveil {

enum class Secrecy {
  open,   // everybody may read it
  secret  // nobody but its owner
};

// Errors: ErrorKind::configuration with the file or folder, what is wrong and the command that mends it;
// never a byte of the text.
[[nodiscard]] Result<std::string> read_trusted(const std::string& path, Secrecy secrecy,
                                               std::size_t limit_bytes);

// The same questions of a file that is read otherwise.
[[nodiscard]] Result<void> check_trusted(const std::string& path, Secrecy secrecy);

// What is wrong with what stat(2) says of the open file, for a process of the user `us`, and what mends it;
// empty: nothing.
struct Distrust {
  std::string why;
  std::string fix;
};
[[nodiscard]] Distrust distrust_of_file(const struct stat& status, Secrecy secrecy, uid_t us,
                                        const std::string& path);
// is_shut: a folder above it lets nobody else in.
[[nodiscard]] Distrust distrust_of_folder(const struct stat& status, bool is_shut, uid_t us,
                                          const std::string& path);

}  // namespace pgveil
