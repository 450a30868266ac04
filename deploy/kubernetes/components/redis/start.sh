#!/bin/sh
# Starts Redis, in Compose and Kubernetes alike: start.sh SECRETS [LINE...]
#
# SECRETS is the folder of the passwords: `redis-password` of the default user, who is the operator and may do everything, and
# `redis-NAME-password` of each user in the files *.acl beside this one. LINE goes into the configuration, beside redis.conf.
# MEMORY_LIMIT is what the container may use, in bytes. Shell alone: the image has no more that is certain.
set -eu
here=${0%/*}
secrets=$1
shift

fail() {
    echo "error: $*" >&2
    exit 1
}

# A space would end the password, and what follows it would be rights.
password() {
    [ -s "$secrets/$1" ] || fail "the password $secrets/$1 is missing or empty; make the secret $1 and start again"
    word=$(cat "$secrets/$1")
    case $word in
        *[[:space:]]*) fail "the password $secrets/$1 is more than one word; make it again" ;;
    esac
    echo "$word"
}

users() {
    for file in "$here"/*.acl; do
        while read -r user name rights; do
            [ "$user" = user ] || continue
            word=$(password "redis-$name-password")
            echo "user $name on >$word $rights"
        done <"$file"
    done
}

case ${MEMORY_LIMIT:-} in
    '' | *[!0-9]*) fail "MEMORY_LIMIT is no number of bytes; set it to the memory limit of this container" ;;
esac
operator=$(password redis-password)
users=$(users)
replication=
if [ -e "$secrets/redis-replica-password" ]; then
    word=$(password redis-replica-password)
    replication="masteruser replica
masterauth $word"
fi
lines=
for line; do
    lines="$lines$line
"
done

# The passwords come in over standard input, so that they stand neither in a file of ours nor in the list of processes. Half of
# the memory is for data: while the append-only file is rewritten, what changes meanwhile is there twice.
exec redis-server "$here/redis.conf" - <<END
maxmemory $((MEMORY_LIMIT / 2))
requirepass $operator
$users
$replication
$lines
END
