#pragma once
// The one way to read a file that holds a secret or decides who comes in: passwords, keys, the users file,
// the access file, certificates of authorities and their revocation lists.
//
// The question is who could have written the text, or can read it. So the path is walked folder by folder,
// each opened relative to the one before it, and every check is made on what was opened, never on a name:
// - Each folder belongs to root or to us, and nobody else may put files there. Exceptions: the folder is
//   sticky, like /tmp, where nobody can remove another's file; or a folder above it lets nobody else in.
// - Symbolic links are followed (Debian's certificates and Kubernetes' secrets are links), but only root's
//   and our own.
// - The file is a regular file of root or us, and nobody else may write it. Nobody else may read a secret; a
//   group may, but only if root owns the file (as PostgreSQL allows for keys).
// The descriptor that was checked is the one that is read; the path is not looked up again in between.
#include <sys/stat.h>

#include <cstddef>
#include <string>

#include "common/error.hpp"

namespace pgveil {

enum class Secrecy {
  open,   // everybody may read it
  secret  // only its owner may read it
};

// Errors: ErrorKind::configuration with the file or folder, what is wrong and the command that fixes it, but
// never a byte of the text.
[[nodiscard]] Result<std::string> read_trusted(const std::string& path, Secrecy secrecy,
                                               std::size_t limit_bytes);

// Makes the same checks for a file that is read in another way.
[[nodiscard]] Result<void> check_trusted(const std::string& path, Secrecy secrecy);

// What is wrong with the open file according to stat(2), for a process of the user `us`, and the fix; empty:
// nothing.
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
