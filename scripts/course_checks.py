"""What stays of a class and of its courses: archives of resets, versions of courses for replays, and where bundles come from."""

import re

from deploy_files import called, named, pod_of, replicas, workloads
from settings_of import setting

SERVE_COURSES = ("policy-svc", "retrieval-svc")


def volume_at(workload, container, path):
    """The volume that a container has mounted there, or an empty one."""
    mounts = {m["mountPath"]: m["name"] for m in container.source.get("volumeMounts", [])}
    return next((v for v in pod_of(workload).get("volumes", []) if v["name"] == mounts.get(path)), {})


def ours(objects, containers, *programs):
    """The workloads of these programs, with their containers."""
    for workload in workloads(objects):
        for container in containers:
            if container.name == called(workload) and container.program in programs:
                yield workload, container


def stays(objects, workload, container, path, what):
    """Faults of a folder that must be on a volume that stays, and that all replicas share."""
    name = volume_at(workload, container, path).get("persistentVolumeClaim", {}).get("claimName")
    claim = named(objects, "PersistentVolumeClaim").get(name)
    if not claim:
        yield f"{container.name}: {path}, where {what} go, is no volume that stays"
    elif replicas(workload, objects)[1] > 1 and claim["spec"]["accessModes"] != ["ReadWriteMany"]:
        yield f"{container.name}: several replicas need the {what} on a volume that is ReadWriteMany"


def archives(objects, containers, _):
    """A reset deletes only what is archived, so wherever one can run there is a place for archives."""
    for workload, container in ours(objects, containers, "session-svc"):
        if setting(container, "HELPER_CLASS_RESET_ARCHIVE_ENABLED") != "1":
            yield f"{container.name}: HELPER_CLASS_RESET_ARCHIVE_ENABLED must be 1"
        yield from stays(objects, workload, container, "/uploads", "archives")


def versions(objects, containers, _):
    """Every version of a course stays as long as a turn log may name it, so that the turn can be replayed."""
    logs = next(c for c in containers if c.program == "session-svc")
    served = {}
    for workload, container in ours(objects, containers, *SERVE_COURSES):
        courses = served[container.program] = container.environment.get("COURSES_DIR")
        place = container.environment.get("PACK_ARCHIVE_DIR")
        if not place:
            if container.program == "policy-svc" or courses:
                yield f"{container.name}: PACK_ARCHIVE_DIR is not set: it keeps no version of a course, and turns cannot be replayed"
            continue
        yield from stays(objects, workload, container, place, "versions of courses")
        kept, logged = (c.environment.get(n) for c, n in ((container, "PACK_ARCHIVE_DAYS"), (logs, "TURN_LOG_RETENTION_DAYS")))
        if not kept or not logged or int(kept) < int(logged):
            yield f"{container.name}: PACK_ARCHIVE_DAYS ({kept}) must be no less than session-svc's TURN_LOG_RETENTION_DAYS ({logged})"
    if len(set(served.values())) > 1:
        yield f"policy-svc and retrieval-svc must serve the same courses, not COURSES_DIR={served}"


def bundles(objects, containers):
    """Where bundles of courses come from, as the files in a ConfigMap at COURSES_DIR name it: program, host and port."""
    for workload, container in ours(objects, containers, *SERVE_COURSES):
        for address in addresses(objects, workload, container):
            scheme, host, port = re.match(r"(\S+?)://([^/:]+)(?::(\d+))?/", address).groups()
            yield container.program, host, int(port or (80 if scheme.endswith("http") else 443))


def addresses(objects, workload, container):
    source = volume_at(workload, container, container.environment.get("COURSES_DIR"))
    data = named(objects, "ConfigMap").get(source.get("configMap", {}).get("name"), {}).get("data", {})
    lines = (line.strip() for name, text in data.items() if name.endswith(".bundle") for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def courses(objects, containers, _):
    """Another address of a bundle reaches pods that run."""
    for workload, container in ours(objects, containers, *SERVE_COURSES):
        source = volume_at(workload, container, container.environment.get("COURSES_DIR"))
        name = source.get("configMap", {}).get("name")
        if name and (name not in named(objects, "ConfigMap") or name != "course-bundles"):
            yield (
                f"{container.name}: the addresses of bundles must be in a ConfigMap `course-bundles`, made with "
                "disableNameSuffixHash: with a hash in its name, or without it, each change would need new pods"
            )
        for address in addresses(objects, workload, container):
            pinned = re.fullmatch(r"https?://[^/\s]+/\S+#sha256=[0-9a-f]{64}|oci(\+http)?://[^/\s]+/\S+@sha256:[0-9a-f]{64}", address)
            if not pinned:
                yield f"{container.name}: `{address}` is no address of a bundle with its hash"
