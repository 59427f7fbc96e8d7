#!/bin/sh
# After a removal. The data in /var/lib/gamedex stays, also when Debian purges the package.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
