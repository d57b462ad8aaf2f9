#!/usr/bin/env bash
# Runs a command on a virtual screen of 1920×1080, so that real windows need no real screen.
set -euo pipefail
source "$(dirname "$0")/apt.sh"
command -v xvfb-run >/dev/null && command -v xauth >/dev/null || apt_install "a virtual screen" xvfb xauth
unset WAYLAND_DISPLAY QT_QPA_PLATFORM
exec xvfb-run --auto-servernum --server-args "-screen 0 1920x1080x24 -nolisten tcp" "$@"
