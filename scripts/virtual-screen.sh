#!/usr/bin/env bash
# Runs a command on a virtual screen of 1920×1080, so that real windows need no real screen; under a window manager if
# MANAGER names one, such as openbox.
set -euo pipefail
source "$(dirname "$0")/apt.sh"
command -v xvfb-run >/dev/null && command -v xauth >/dev/null || apt_install "a virtual screen" xvfb xauth
if [ -n "${MANAGER:-}" ]; then
  command -v "$MANAGER" >/dev/null || apt_install "a window manager" "$MANAGER"
  set -- bash -c '"$0" >/dev/null 2>&1 & sleep 1; "$@"; code=$?; kill $!; exit $code' "$MANAGER" "$@"
fi
unset WAYLAND_DISPLAY QT_QPA_PLATFORM
exec xvfb-run --auto-servernum --server-args "-screen 0 1920x1080x24 -nolisten tcp" "$@"
