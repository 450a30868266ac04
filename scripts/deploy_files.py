"""Reads compose.yaml and rendered Kubernetes manifests into one shape, for check-deploy and check-settings."""

import pathlib
import re
from dataclasses import dataclass, field

import yaml

MIB = 1 << 20
# In C, where PyYAML has it: rendered overlays are long.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PROGRAMS = ("turnwise", "gateway-svc", "policy-svc", "retrieval-svc", "llm-gateway-svc", "session-svc")
SERVERS = set(PROGRAMS) - {"turnwise"}


@dataclass
class Container:
    """A container of ours or of others, wherever it is described."""

    file: str
    name: str
    command: list[str]
    environment: dict[str, str]
    source: dict = field(repr=False)

    @property
    def program(self):
        """Which of our programs it runs, if any."""
        return self.command[0] if self.command and self.command[0] in PROGRAMS else None

    def __str__(self):
        return f"{self.file}: {self.name}"


def is_compose(path):
    return pathlib.Path(path).name == "compose.yaml"


def compose(path):
    """compose.yaml as it stands, and its containers."""
    document = yaml.safe_load(pathlib.Path(path).read_text())
    containers = [
        Container("compose.yaml", name, service.get("command", []), strings(service.get("environment", {})), service)
        for name, service in document["services"].items()
    ]
    return document, containers


def manifests(path):
    """The objects of a rendered overlay, and the containers of its workloads with the ConfigMaps they read."""
    objects = [o for o in yaml.load_all(pathlib.Path(path).read_text(), Loader=LOADER) if o]
    data = {o["metadata"]["name"]: o.get("data", {}) for o in objects if o["kind"] == "ConfigMap"}
    containers = []
    for workload in workloads(objects):
        for container in workload["spec"]["template"]["spec"]["containers"]:
            environment = {}
            for source in container.get("envFrom", []):
                environment |= data[source["configMapRef"]["name"]]
            environment |= {e["name"]: value_of(e, data) for e in container.get("env", [])}
            name = f"{workload['kind']} {workload['metadata']['name']}"
            containers.append(
                Container(pathlib.Path(path).stem, name, container.get("command", []), strings(environment), container)
            )
    return objects, containers


def mounted_secrets(path):
    """The files of secrets that its containers get."""
    if is_compose(path):
        return {f"/run/secrets/{name}" for name in compose(path)[0]["secrets"]}
    found = set()
    for workload in workloads(manifests(path)[0]):
        pod = workload["spec"]["template"]["spec"]
        folders = {m["name"]: m["mountPath"] for c in pod["containers"] for m in c.get("volumeMounts", [])}
        for volume in pod.get("volumes", []):
            for source in [volume, *volume.get("projected", {}).get("sources", [])]:
                names = [item["path"] for item in source.get("secret", {}).get("items", [])]
                # Without `items`: the one that README.md has all made with, or those of a certificate.
                names = names or (["value", "tls.crt", "tls.key", "ca.crt"] if "secret" in source else [])
                found |= {f"{folders[volume['name']]}/{name}" for name in names}
    return found


def value_of(variable, data):
    """What a variable of a container is, as far as the manifests say it."""
    reference = variable.get("valueFrom", {}).get("configMapKeyRef")
    return data.get(reference["name"], {}).get(reference["key"], "") if reference else variable.get("value", "")


def workloads(objects):
    return [o for o in objects if "template" in o.get("spec", {})]


def containers(path):
    return (compose(path) if is_compose(path) else manifests(path))[1]


def strings(environment):
    return {name: str(value) for name, value in environment.items()}


def endpoints(container):
    """The peers that a container's variables name: setting, host and port. Of a list, each; without a port, that of https."""
    for name, value in container.environment.items():
        match = re.fullmatch(
            r"(?:qdrant:)?(dnss?|https?|rediss?(?:\+sentinel|\+cluster)?)://(?:[^@/]*@)?([A-Za-z0-9.:,-]+)(?:/.*)?",
            with_defaults(value),
        )
        for host in match[2].split(",") if match else []:
            host, _, port = host.partition(":")
            yield name, host, int(port or {"http": 80}.get(match[1], 443))


def listen_port(container):
    return int(container.environment.get("LISTEN", ":0").rpartition(":")[2])


def missing_servers(where, containers):
    for name in sorted(SERVERS - {c.program for c in containers}):
        yield f"{where}: {name} does not run"


def with_defaults(text):
    """Compose's `${NAME:-default}` as its default."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def called(workload):
    return f"{workload['kind']} {workload['metadata']['name']}"


def pod_of(workload):
    return workload["spec"]["template"]["spec"]


def named(objects, kind):
    return {o["metadata"]["name"]: o for o in objects if o["kind"] == kind}


def replicas(workload, objects):
    """The fewest and the most replicas of a workload."""
    for scaler in named(objects, "HorizontalPodAutoscaler").values():
        if scaler["spec"]["scaleTargetRef"]["name"] == workload["metadata"]["name"]:
            return scaler["spec"]["minReplicas"], scaler["spec"]["maxReplicas"]
    count = workload["spec"].get("replicas", 1)
    return count, count


def named_port(container, name):
    return next((p["containerPort"] for p in container.source.get("ports", []) if p.get("name") == name), None)


def quantity(text):
    """Bytes of a quantity of Kubernetes."""
    units = {"Ki": 1 << 10, "Mi": MIB, "Gi": 1 << 30}
    number, unit = text[:-2], text[-2:]
    if unit not in units:
        raise SystemExit(f"error: write memory in Ki, Mi or Gi, not {text}")
    return float(number) * units[unit]
