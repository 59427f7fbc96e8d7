# Installs, starts, upgrades, removes and purges the package in a system without systemd:
#
#   bash -eu package.sh gamedex_OLD_amd64.deb gamedex_NEW_amd64.deb
old=$1 new=$2
test ! -e /run/systemd/system # it is installed, but it does not run
mv /usr/bin/systemctl /usr/bin/systemctl.away
dpkg -i "$old"
test "$(stat -c '%a %U' /etc/gamedex.env)" = "600 root"
echo '# a setting of the operator' >>/etc/gamedex.env

unit=/usr/lib/systemd/system/gamedex.service
useradd -r "$(sed -n 's/^User=//p' $unit)"
install -d -o gamedex -m 700 /var/lib/gamedex
# The line without quotes: it has a program and its arguments.
setpriv --reuid=gamedex --regid=gamedex --clear-groups env GAMEDEX_DATA_DIR=/var/lib/gamedex GAMEDEX_RATES=off GAMEDEX_DRAIN=0s \
	$(sed -n 's/^ExecStart=//p' $unit) >/tmp/output 2>&1 &
service=$!
until curl -s http://127.0.0.1:8080/api/v1/health; do
	kill -0 $service || { cat /tmp/output; exit 1; }
	sleep 0.2
done
test "$(stat -c %U /proc/$service)" = gamedex
kill $service
wait $service

dpkg -i "$new"
tail -1 /etc/gamedex.env | grep -q operator
systemd-analyze verify --man=no $unit >/tmp/verified 2>&1
test ! -s /tmp/verified || { cat /tmp/verified; exit 1; }
dpkg -r gamedex
test ! -e /usr/bin/gamedex
test -e /etc/gamedex.env
dpkg -P gamedex
test ! -e /etc/gamedex.env
test -e /var/lib/gamedex/gamedex.db
