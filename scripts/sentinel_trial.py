"""Tries the Redis and the sentinels of a rendered overlay, each pod as its manifest says: its command, its environment, its
mounts and its probe. A pod has this machine's programs, and a network of its own with a new address at each start; it is known
by its name while it runs. scripts/try-sentinels starts this in namespaces.

    sentinel_trial.py FOLDER    with manifests.yaml, and the programs of the image in image/
"""

import itertools
import pathlib
import shutil
import subprocess
import sys
import time

import yaml
from deploy_files import named, pod_of, quantity

# Seconds for whatever is waited for. A primary that is gone is replaced after seven.
PATIENCE = 60
KEY = "turnwise:{trial}"
PATH = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


def word(secret):
    return f"{Pod.passwords}-{secret}"


def run(*command, **more):
    return subprocess.run(command, check=True, text=True, capture_output=True, **more).stdout


class Pod:
    """A pod of a StatefulSet."""

    addresses = itertools.count(2)
    all = []
    # How those of the time begin.
    passwords = "old"

    def __init__(self, folder, workload, number, objects):
        name = workload["metadata"]["name"]
        self.name = f"{name}-{number}"
        self.host = f"{self.name}.{workload['spec']['serviceName']}"
        self.spec = pod_of(workload)
        self.container = self.spec["containers"][0]
        self.objects = objects
        self.root = folder / "pods" / self.name
        self.address = self.process = None
        shutil.copytree(folder / "image", self.root)
        for place in ("etc", "tmp", "dev"):
            (self.root / place).mkdir(exist_ok=True)
        (self.root / "dev/null").touch()
        run("mount", "--bind", "/dev/null", self.root / "dev/null")
        Pod.all.append(self)
        self.mount()

    def mount(self):
        """Puts its volumes in place; what is on its disk stays."""
        volumes = {volume["name"]: volume for volume in self.spec["volumes"]}
        for mount in self.container["volumeMounts"]:
            place = self.root / mount["mountPath"].strip("/")
            place.mkdir(parents=True, exist_ok=True)
            match volumes.get(mount["name"]):
                case None:
                    shutil.chown(place, self.user, self.user)
                case {"configMap": {"name": name}}:
                    for file, text in named(self.objects, "ConfigMap")[name]["data"].items():
                        (place / file).write_text(text)
                case {"projected": {"sources": sources}}:
                    for secret in (source["secret"] for source in sources):
                        for item in secret["items"]:
                            (place / item["path"]).write_text(word(secret["name"]))
                case other:
                    sys.exit(f"error: {self.name}: this trial does not know the volume {other}")

    @property
    def user(self):
        return self.spec["securityContext"]["runAsUser"]

    def environment(self):
        for entry in self.container["env"]:
            match entry.get("valueFrom"):
                case {"fieldRef": {"fieldPath": "metadata.name"}}:
                    yield entry["name"], self.name
                case {"resourceFieldRef": {"resource": "limits.memory"}}:
                    yield entry["name"], str(int(quantity(self.container["resources"]["limits"]["memory"])))
                case other:
                    sys.exit(f"error: {self.name}: this trial does not know the value {other}")

    def chrooted(self, command):
        return ["chroot", f"--userspec={self.user}:{self.user}", self.root, *command]

    def inside(self, command):
        return ["ip", "netns", "exec", self.name, *self.chrooted(command)]

    def secret(self, name):
        return self.root / "run/secrets/redis" / name

    def refuses(self, command, says, environment):
        """That a start ends with this, before there is anybody to wait for, and is no server in the meantime."""
        process = subprocess.Popen(self.chrooted(command), env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            said, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            sys.exit(f"error: {self.name}: {command} goes on, and must say: {says}; it said {process.communicate()[0]}")
        if process.returncode == 0 or said.splitlines() != [f"error: {says}"]:
            sys.exit(f"error: {self.name}: {command} must say: {says}; it said {said}")

    def start(self):
        number = next(Pod.addresses)
        self.address = f"10.77.0.{number}"
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", f"pod{number}", "type", "veth", "peer", "name", "eth0", "netns", self.name)
        run("ip", "link", "set", f"pod{number}", "master", "pods", "up")
        run("ip", "-n", self.name, "addr", "add", f"{self.address}/16", "dev", "eth0")
        for link in ("lo", "eth0"):
            run("ip", "-n", self.name, "link", "set", link, "up")
        tell_names()
        with open(self.log, "a") as log:
            environment = PATH | dict(self.environment())
            command = self.inside(self.container["command"])
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.address = None
        run("ip", "netns", "del", self.name)
        tell_names()

    @property
    def log(self):
        return self.root.with_suffix(".log")

    def is_ready(self):
        """As its probe says."""
        probe = self.inside(self.container["readinessProbe"]["exec"]["command"])
        return subprocess.run(probe, env=PATH, capture_output=True).returncode == 0

    def redis(self, *arguments, commands=None, user="default", password="redis-password", port="6379"):
        """What a Redis or a sentinel says, asked within its pod."""
        login = PATH | {"REDISCLI_AUTH": word(password)}
        command = self.inside(["redis-cli", "-p", port, "--user", user, *arguments])
        done = subprocess.run(command, env=login, input=commands, text=True, capture_output=True)
        return done.stdout.split()

    def sentinel(self, *arguments):
        return self.redis("sentinel", *arguments, password="sentinel-password", port="26379")

    def write(self, record):
        """As session-svc does: on both replicas, too."""
        said = self.redis(commands=f"set {KEY} {record}\nwait 2 5000\n", user="session", password="redis-session-password")
        return said == ["OK", "2"]

    def has(self, record):
        return self.redis("get", KEY, user="session", password="redis-session-password") == [record]


def tell_names():
    """Everybody knows the pods that run, and no others."""
    names = "".join(f"{pod.address} {pod.host}\n" for pod in Pod.all if pod.address)
    for pod in Pod.all:
        (pod.root / "etc/hosts").write_text("127.0.0.1 localhost\n" + names)


def until(what, asks):
    began = time.monotonic()
    while not (answer := asks()):
        if time.monotonic() - began > PATIENCE:
            sys.exit(f"error: not within {PATIENCE} s: {what}")
        time.sleep(0.1)
    print(f"sentinels: {what}, after {time.monotonic() - began:.1f} s", flush=True)
    return answer


class Set:
    """Three Redis and the sentinels that watch them."""

    def __init__(self, servers, sentinels):
        self.servers, self.sentinels = servers, sentinels

    def is_whole(self):
        """Every pod is ready, every sentinel knows all of them, and two Redis follow the third."""
        told = [" ".join(pod.sentinel("master", "turnwise")) for pod in self.sentinels]
        known = "num-slaves 2 num-other-sentinels 2"
        roles = sorted((pod.redis("role") + 4 * [""])[:4:3] for pod in self.servers)
        is_known = all(known in all_of_it for all_of_it in told)
        return is_known and roles[1:] == 2 * [["slave", "connected"]] and all(pod.is_ready() for pod in Pod.all)

    def primary(self):
        """Whom all sentinels name."""
        hosts = {tuple(pod.sentinel("get-master-addr-by-name", "turnwise")[:1]) for pod in self.sentinels}
        return next((pod for pod in self.servers if hosts == {(pod.host,)}), None)

    def another(self, than):
        primary = self.primary()
        return primary if primary and primary is not than and primary.redis("role")[:1] == ["master"] else None


def refusals(server, sentinel):
    """A secret that is missing, empty or more than one word stops each start, with what to do."""
    tried = 0
    alone = ["sh", "/etc/redis/start.sh", "/run/secrets/redis"]
    starts = [(server, server.container["command"], ["sentinel-password"])]
    starts += [(server, alone, [f"redis{of}-password" for of in ("", "-session", "-limits", "-llm", "-replica", "-sentinel")])]
    starts += [(sentinel, sentinel.container["command"], ["sentinel-password", "redis-sentinel-password"])]
    for pod, command, secrets in starts:
        environment = PATH | dict(pod.environment())
        for secret in secrets:
            file = pod.secret(secret)
            about = f"the password /{file.relative_to(pod.root)} is"
            again = f"{about} missing or empty; make the secret {secret} and start again"
            file.write_text("")
            pod.refuses(command, again, environment)
            file.unlink()
            pod.refuses(command, again, environment)
            file.write_text("two words")
            pod.refuses(command, f"{about} more than one word; make it again", environment)
            file.write_text(word(secret))
            tried += 3
    limit = "MEMORY_LIMIT is no number of bytes; set it to the memory limit of this container"
    for value in ({}, {"MEMORY_LIMIT": ""}, {"MEMORY_LIMIT": "1Gi"}):
        server.refuses(alone, limit, PATH | {"POD": server.name} | value)
    print(f"sentinels: {tried + 3} starts with a bad secret or limit are refused, each with what to do", flush=True)


def trial(redis):
    refusals(redis.servers[0], redis.sentinels[0])
    for pod in Pod.all:
        pod.start()
    until("a new set is whole", redis.is_whole)
    first = redis.primary()
    assert first is redis.servers[0], first.name
    until("a record is on all three", lambda: first.write("one"))

    first.kill()
    second = until("another primary is named", lambda: redis.another(first))
    assert second.has("one")
    first.start()
    until("the former one follows", lambda: redis.is_whole() and second.write("two"))

    # It has another password than the sentinels, which began before.
    first.kill()
    first.secret("sentinel-password").write_text("another")
    first.start()
    until("it says that the sentinels refuse it", lambda: "do not take the password" in first.log.read_text())
    first.kill()
    first.mount()
    first.start()

    # All at once, sentinels too, whose password is another one now.
    for pod in Pod.all:
        pod.kill()
    Pod.passwords = "new"
    for pod in Pod.all:
        pod.mount()
        pod.start()
    until("all were restarted with other passwords", redis.is_whole)
    assert redis.primary() is second and second.has("two")

    # A primary comes back without its disk before anybody else takes its place.
    second.kill()
    shutil.rmtree(second.root / "data/appendonlydir")
    second.start()
    third = until("a primary that lost its disk is replaced", lambda: redis.another(second))
    assert third.has("two")
    until("it copies the new one", lambda: redis.is_whole() and third.write("three") and second.has("three"))


def main():
    folder = pathlib.Path(sys.argv[1])
    run("mount", "-t", "tmpfs", "tmpfs", "/run")
    run("ip", "link", "add", "pods", "type", "bridge")
    run("ip", "link", "set", "pods", "up")
    objects = list(filter(None, yaml.safe_load_all((folder / "manifests.yaml").read_text())))
    workloads = named(objects, "StatefulSet")
    pods = [
        [Pod(folder, workloads[name], number, objects) for number in range(workloads[name]["spec"]["replicas"])]
        for name in ("redis", "redis-sentinel")
    ]
    try:
        trial(Set(*pods))
    except BaseException:
        for pod in Pod.all:
            print(f"--- {pod.name}", *pod.log.read_text().splitlines()[-25:], sep="\n", file=sys.stderr)
        raise


main()
