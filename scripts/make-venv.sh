#!/usr/bin/env bash
# Makes the virtual environment at $1 with the Python of $2 (3.11 or newer).
set -euo pipefail
venv=$1 python=$2
source "$(dirname "$0")/apt.sh"

command -v "$python" >/dev/null || apt_install "Python" python3 python3-venv
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "txviz: needs Python 3.11 or newer; $python is $("$python" -V 2>&1). Choose another with: make PYTHON=python3.12 …" >&2
  exit 1
fi
"$python" -c 'import ensurepip, venv' 2>/dev/null || apt_install "virtual environments" python3-venv
"$python" -m venv "$venv"
