#!/bin/sh
# After an installation or an upgrade. Without systemd there is nothing to do.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart gamedex.service
fi
