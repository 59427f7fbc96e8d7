#!/bin/sh
# Before a removal (remove in Debian's words, 0 in RPM's), but not before an upgrade.
set -e
case "${1-}" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now gamedex.service
	fi
	;;
esac
