# Sourced by the verbs. Lists the packages that each of them needs, by distribution, and installs missing
# ones.
# cmake/dependencies.cmake gives the purpose of each library.
source "$ROOT/scripts/say.sh"

# What differs between the distributions: the newest Boost that has been tried, the server, the compilers that
# check and fuzz, and Java. On any other distribution the names of Debian 13 are tried.
choose_versions() {
  local id=debian version=13
  if [[ -r /etc/os-release ]]; then
    id=$(. /etc/os-release && echo "${ID:-debian}")
    version=$(. /etc/os-release && echo "${VERSION_ID:-13}")
  fi
  case $id-$version in
    debian-12) BOOST=1.81 SERVER=15 CLANG=14 JAVA=17 ;;
    ubuntu-24.04) BOOST=1.83 SERVER=16 CLANG=18 JAVA=21 ;;  # not tried: docs/install.md
    *) BOOST=1.83 SERVER=17 CLANG=19 JAVA=21 ;;
  esac
}
choose_versions

packages_of() {
  case $1 in
    build)
      echo cmake ninja-build g++ pkg-config "libboost$BOOST-dev" "libboost-json$BOOST-dev" libfmt-dev libssl-dev \
        libyaml-cpp-dev libspdlog-dev libcli11-dev libpq-dev libpg-query-dev libprotobuf-c-dev \
        libxxhash-dev libtbb-dev libz3-dev zlib1g-dev libzstd-dev
      ;;
    # For the page. If there is an npm already, of whatever origin, it is used.
    page) command -v npm >/dev/null || echo nodejs npm ;;
    demo) echo "postgresql-$SERVER" "postgresql-client-$SERVER" ;;
    test)
      echo doctest-dev python3 "postgresql-$SERVER" "postgresql-client-$SERVER" python3-psycopg2 \
        python3-psycopg python3-asyncpg python3-yaml pgbouncer sqlsmith chromium fonts-dejavu-core curl
      # Only Debian 12 has the version whose layout the sources have.
      [[ $CLANG != 14 ]] || echo clang-format-14
      packages_of page
      ;;
    bench) echo "postgresql-$SERVER" "postgresql-client-$SERVER" pgbouncer python3 python3-numpy python3-psycopg2 ;;
    fuzz) echo "clang-$CLANG" "libclang-rt-$CLANG-dev" ;;
    lint)
      [[ $CLANG == 14 ]] || die "the sources are laid out and checked by clang-format 14 and clang-tidy 14," \
        "which only Debian 12 has"
      echo clang-format-14 clang-tidy-14 python3
      ;;
    spark) echo "openjdk-$JAVA-jre-headless" python3-venv libpostgresql-jdbc-java ;;
    arrow) echo python3-venv ;;
    package) echo build-essential debhelper lintian ;;
    servers) command -v npm >/dev/null || echo nodejs npm ;;  # builds of other majors (servers.sh)
    docs) echo mkdocs mkdocs-material python3-yaml ;;
    drivers) echo python3-psycopg2 python3-psycopg python3-asyncpg ;;
    *) die_usage "no group of packages named \"$1\"" ;;
  esac
}

# Compiling one file that includes Asio takes up to 1.5 GB with the sanitizers.
jobs_by_memory() {
  local cores available_kb by_memory
  cores=$(nproc)
  available_kb=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  by_memory=$((available_kb / 1500000))
  ((by_memory >= 1)) || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# Prints those of the named packages that are not installed.
missing_packages() {
  local installed package
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "$@" 2>/dev/null || true)"
  for package in "$@"; do
    [[ $installed == *" installed:$package "* ]] || echo "$package"
  done
}

# Debian makes and starts its own server with the first postgresql package that is installed. This prevents it
# during the installation only; machines that already have the package are not affected.
NO_CLUSTER=/etc/postgresql-common/createcluster.d/zz-pgveil.conf

forbid_system_cluster() {
  "${AS_ROOT[@]}" mkdir -p "${NO_CLUSTER%/*}"
  echo 'create_main_cluster = false' | "${AS_ROOT[@]}" tee "$NO_CLUSTER" >/dev/null
}

install_packages() {
  local status=0
  command -v apt-get >/dev/null || die "these Debian packages are missing and there is no apt-get: $*"
  AS_ROOT=(env DEBIAN_FRONTEND=noninteractive LC_ALL=C)
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || die "these packages are missing: $*; ask root to run: apt-get install $*"
    AS_ROOT=(sudo "${AS_ROOT[@]}")
  fi
  step "installing $*"
  "${AS_ROOT[@]}" apt-get -q -o Acquire::Retries=3 update >&2 ||
    die "apt-get update failed; is there a network?"
  forbid_system_cluster
  "${AS_ROOT[@]}" apt-get -q -y --no-install-recommends -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 \
    install "$@" >&2 || status=$?
  "${AS_ROOT[@]}" rm -f "$NO_CLUSTER"
  ((status == 0)) || die "apt-get could not install: $*; its message is above"
}

# want_page_tools: npm, unless the page has been built already. Without npm a build works too, but it has no
# page.
want_page_tools() {
  [[ ! -f $ROOT/web/page/dist/index.html ]] || return 0
  (need_packages page) || step "npm could not be installed: going on without it"
}

# need_packages GROUP…: fast if nothing is missing.
need_packages() {
  local group wanted=() missing
  if ! command -v dpkg-query >/dev/null; then
    step "not a Debian system: taking the dependencies as given"
    return 0
  fi
  for group in "$@"; do
    # shellcheck disable=SC2207 # names of packages have no blanks
    wanted+=($(packages_of "$group"))
  done
  missing=$(missing_packages "${wanted[@]}")
  # shellcheck disable=SC2086 # one word per package
  [[ -z $missing ]] || install_packages $missing
}
