#!/usr/bin/env bash
# Makes the wheel and the source package in dist/ with the Python of $1. Both say which commit they were made of.
set -euo pipefail
cd "$(dirname "$0")/.."
trap 'rm -f txviz/COMMIT' EXIT
git rev-parse --short=7 HEAD >txviz/COMMIT 2>/dev/null || rm -f txviz/COMMIT
mkdir -p build
rm -f dist/txviz-*.whl dist/txviz-*.tar.gz
"$1" -m build --outdir dist . >build/dist.log 2>&1 || { cat build/dist.log >&2; exit 1; }
du -h dist/txviz-*.whl dist/txviz-*.tar.gz
