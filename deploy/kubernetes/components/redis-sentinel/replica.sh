#!/bin/sh
# Starts a Redis of a set that sentinels watch: replica.sh SECRETS. It follows the primary that a sentinel names, and is it if
# that is this one. Sentinels keep what they know on disks of their own and begin with redis-0, so there is always an answer,
# and none is guessed: a server that took itself for the primary after all were restarted could bring back old records.
set -eu
here=${0%/*}
me=$POD.redis
password=$1/sentinel-password

# Else no sentinel would answer, and this would wait for them without an end.
fail() {
    echo "error: the password $password is $*" >&2
    exit 1
}
[ -s "$password" ] || fail "missing or empty; make the secret sentinel-password and start again"
case $(cat "$password") in
    *[[:space:]]*) fail "more than one word; make it again" ;;
esac

ask() {
    for number in 0 1 2; do
        REDISCLI_AUTH=$(cat "$password") timeout 2 redis-cli -h "redis-sentinel-$number.redis-sentinel" -p 26379 "$@" \
            2>/dev/null && return
    done
    return 1
}

while true; do
    primary=$(ask sentinel get-master-addr-by-name turnwise | head -n 1)
    case $primary in
        "$me")
            # An empty disk must not become the primary of replicas that have records: they would copy it. While this one
            # does not answer, the sentinels promote one of them.
            [ -e /data/appendonlydir ] || [ -z "$(ask sentinel replicas turnwise)" ] && break
            echo "this disk is empty and replicas are not: waiting for the sentinels to promote one of them" >&2
            ;;
        *.redis) break ;;
        NOAUTH* | *WRONGPASS*)
            echo "the sentinels do not take the password $password: waiting; they read the secret sentinel-password at their start," \
                "so start them again or put theirs back" >&2
            ;;
        *) echo "no sentinel says who is primary: waiting" >&2 ;;
    esac
    sleep 1
done

set -- "$1" "replica-announce-ip $me" "replica-announce-port 6379" \
    "min-replicas-to-write 1" "min-replicas-max-lag 10"
[ "$primary" = "$me" ] || set -- "$@" "replicaof $primary 6379"
exec sh "$here/start.sh" "$@"
