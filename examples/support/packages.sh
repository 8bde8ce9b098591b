# For scripts to source: what the build needs from Debian.

# install_packages <package>...: as root installs those that are missing; anybody else is told which they are.
install_packages() {
  command -v dpkg-query >/dev/null || return 0 # no Debian: CMake says what it does not find
  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed$' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    echo "expected these packages to be installed, or root, who installs them: ${missing[*]}" >&2
    return 1
  fi
  echo "== installs ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
