"""Reads compose.yaml and rendered Kubernetes manifests into one shape, for check-deploy and check-settings."""

import pathlib
from dataclasses import dataclass, field

import yaml

PROGRAMS = ("turnwise", "gateway-svc", "policy-svc", "retrieval-svc", "llm-gateway-svc", "session-svc")


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
    objects = [o for o in yaml.safe_load_all(pathlib.Path(path).read_text()) if o]
    data = {o["metadata"]["name"]: o.get("data", {}) for o in objects if o["kind"] == "ConfigMap"}
    containers = []
    for workload in workloads(objects):
        for container in workload["spec"]["template"]["spec"]["containers"]:
            environment = {}
            for source in container.get("envFrom", []):
                environment |= data[source["configMapRef"]["name"]]
            environment |= {e["name"]: e.get("value", "") for e in container.get("env", [])}
            name = f"{workload['kind']} {workload['metadata']['name']}"
            containers.append(
                Container(pathlib.Path(path).stem, name, container.get("command", []), strings(environment), container)
            )
    return objects, containers


def workloads(objects):
    return [o for o in objects if "template" in o.get("spec", {})]


def containers(path):
    return (compose(path) if is_compose(path) else manifests(path))[1]


def strings(environment):
    return {name: str(value) for name, value in environment.items()}
