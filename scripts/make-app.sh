#!/usr/bin/env bash
# Makes dist/txviz, a folder that runs without Python, and packs it. $1: the Python that goes into it.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/apt.sh
command -v objdump >/dev/null || apt_install "PyInstaller" binutils
rm -rf build/app dist/txviz dist/txviz-*-linux-*.tar.xz
"$1" -m venv build/app
build/app/bin/python -m pip install --quiet --disable-pip-version-check "$(echo dist/txviz-*.whl)[app]"
bash scripts/qt-libraries.sh build/app/bin/python
build/app/bin/pyinstaller --noconfirm --log-level ERROR --workpath build/pyinstaller --distpath dist scripts/txviz.spec
build/app/bin/python scripts/licences.py 'txviz[video,checkpoints]' pyinstaller dist/txviz >dist/txviz/LICENCES.txt
name=$(basename dist/txviz-*.whl -py3-none-any.whl)-linux-$(uname -m)
tar --create --file - --directory dist --transform "s/^txviz/$name/" txviz | xz -6 --threads=0 >"dist/$name.tar.xz"
du -sh dist/txviz "dist/$name.tar.xz"
