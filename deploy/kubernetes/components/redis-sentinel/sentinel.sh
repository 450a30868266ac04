#!/bin/sh
# Starts a sentinel: sentinel.sh SECRETS. What it learns is in its configuration, which it writes itself: on a disk, so that the
# set still knows its primary after all were restarted. The passwords may have changed since.
set -eu
config=/data/sentinel.conf
for name in sentinel-password redis-sentinel-password; do
    if ! [ -s "$1/$name" ]; then
        echo "error: the password $1/$name is missing or empty; make the secret $name and start again" >&2
        exit 1
    fi
    word=$(cat "$1/$name")
    # A space would end the password, and a line of its own would be another setting.
    case $word in
        *[[:space:]]*)
            echo "error: the password $1/$name is more than one word; make it again" >&2
            exit 1
            ;;
    esac
done
umask 077
if [ -s $config ]; then
    grep -v -e '^sentinel auth-pass ' -e '^sentinel sentinel-pass ' -e '^requirepass ' -e '^user default ' $config >$config.new
else
    cat >$config.new <<END
port 26379
dir /data
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $POD.redis-sentinel
sentinel announce-port 26379
sentinel monitor turnwise redis-0.redis 6379 2
sentinel auth-user turnwise sentinel
sentinel down-after-milliseconds turnwise 5000
sentinel failover-timeout turnwise 10000
sentinel parallel-syncs turnwise 1
END
fi
echo "sentinel auth-pass turnwise $word
requirepass $(cat "$1/sentinel-password")" >>$config.new
mv $config.new $config
exec redis-server $config --sentinel
