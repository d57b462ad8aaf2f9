#!/usr/bin/env bash
# Runs `make test` with each of these versions of Python that this machine has, on the PATH or in pyenv, in a .venv-3.x of
# its own. Says which are missing; fails where tests fail, or where none of the versions is there.
set -euo pipefail

python_of() { # version
  local candidate
  for candidate in "python$1" "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/"$1".*/bin/python; do
    "$candidate" -c "import sys; print(sys.executable); sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null && return
  done
  return 1
}

passed='' failed='' missing=''
for version in "$@"; do
  if ! python=$(python_of "$version"); then
    missing+=" $version"
  elif ${MAKE:-make} --no-print-directory test VENV=".venv-$version" PYTHON="$python"; then
    passed+=" $version"
  else
    failed+=" $version"
  fi
done
echo "txviz: the tests pass with Python:${passed:- none}; fail with:${failed:- none}; not on this machine:${missing:- none}"
[ -z "$failed" ] && [ -n "$passed" ]
