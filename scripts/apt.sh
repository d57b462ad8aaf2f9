# Sourced by the other scripts: install Debian packages, as root or through sudo, and say so.

apt_install() { # why package...
  local why=$1 as_root=() turn
  shift
  if ! command -v apt-get >/dev/null; then
    echo "txviz: missing on this machine ($why): $*. Install them with the system's package manager, then try again." >&2
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
    if ! command -v sudo >/dev/null; then
      echo "txviz: missing on this machine ($why). As root, run: apt-get install $*" >&2
      return 1
    fi
  fi
  echo "txviz: installing with apt-get ($why): $*"
  # A desktop's own updates may hold apt's locks, above all on a machine that was just started.
  for turn in {1..12}; do
    "${as_root[@]}" apt-get update -qq && break
    sleep 10
  done
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@" >/dev/null
}
