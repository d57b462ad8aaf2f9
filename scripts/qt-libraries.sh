#!/usr/bin/env bash
# Qt's wheel needs some libraries of the system. Installs those that are missing; does nothing when all are there.
set -euo pipefail
[ "$(uname -s)" = Linux ] || exit 0
source "$(dirname "$0")/apt.sh"

qt=$("$1" -c 'import pathlib, PySide6; print(pathlib.Path(PySide6.__file__).parent)')

missing() {
  for file in "$qt"/Qt/plugins/platforms/lib{qxcb,qoffscreen}.so "$qt"/Qt/lib/libQt6{Core,Gui,Widgets}.so.6; do
    ldd "$file"
  done 2>/dev/null | awk '/not found/ {print $1}' | sort -u
}

package_of() {
  case $1 in
    libxkbcommon.so.0) echo libxkbcommon0 ;;
    libxkbcommon-x11.so.0) echo libxkbcommon-x11-0 ;;
    libglib-2.0.so.0 | libgthread-2.0.so.0) echo libglib2.0-0 ;;
    libdbus-1.so.3) echo libdbus-1-3 ;;
    libz.so.1) echo zlib1g ;;
    libX11-xcb.so.1) echo libx11-xcb1 ;;
    libEGL.so.1) echo libegl1 ;;
    libGL.so.1) echo libgl1 ;;
    libGLX.so.0) echo libglx0 ;;
    libOpenGL.so.0) echo libopengl0 ;;
    # libxcb-icccm.so.4 is in libxcb-icccm4, libfontconfig.so.1 in libfontconfig1, and so on.
    *) echo "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/\.so\./ /; s/([0-9]) ([0-9]+)$/\1-\2/; s/ //' ;;
  esac
}

libraries=$(missing)
[ -n "$libraries" ] || exit 0
mapfile -t packages < <(for library in $libraries; do package_of "$library"; done | sort -u)
apt_install "libraries that Qt's window needs" "${packages[@]}"
left=$(missing)
if [ -n "$left" ]; then
  echo "txviz: still missing: $(echo $left). The command line works without them; the window may not." >&2
fi
