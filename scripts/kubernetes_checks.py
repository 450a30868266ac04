"""What check-deploy checks of a rendered overlay: names, hardening, connections, disruption, memory, probes and drains."""

import pathlib
import re

import yaml
from connections import Connections, selects
from course_checks import addresses, archives, bundles, courses, versions
from deploy_files import SERVERS, called, endpoints, listen_port, manifests, missing_servers, named, named_port, pod_of
from deploy_files import quantity, replicas, workloads
from memory_checks import memory
from settings_of import constant, setting

KUBERNETES = pathlib.Path(__file__).resolve().parent.parent / "deploy/kubernetes"
SHARED_VOLUMES = {"configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret"}

# What an end takes beside the drain: last answers, background work, spans.
BESIDE_DRAIN = 10
# How fast Redis reads its file back at its start, in bytes a second: less than a slow disk gives.
REDIS_READS = 50_000_000
# What a start may take without waiting for anybody: the images' programs, the courses, the index.
READING = 30
# What each autoscaler asks for: calls in flight and CPU.
SCALED_BY = {"rpc_server_in_flight", "cpu"}
# The settings that name nobody to call.
NO_PEER = {"JWT_ISSUER"}


def manifest_faults(path):
    objects, containers = manifests(path)
    folder = pathlib.Path(path).read_text().splitlines()[0].removeprefix("# ")
    overlay = pathlib.Path(path).stem
    for check in CHECKS:
        for fault in check(objects, containers, folder):
            yield f"{overlay}: {fault}"
    yield from missing_servers(overlay, containers)


def names(objects, containers, _):
    services = named(objects, "Service")
    for container in containers:
        if container.program:
            if listen_port(container) != named_port(container, "grpc"):
                yield f"{container.name}: LISTEN is not its port `grpc`"
            tls = "TLS_CERT_FILE" in container.environment
            for probe, at in (("startupProbe", "/readyz"), ("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")):
                asks = container.source.get(probe, {})
                wanted = {"httpGet": {"path": at, "port": "admin"}} if tls else {"grpc": {"port": listen_port(container)}}
                if not wanted.items() <= asks.items() or {"grpc", "httpGet"} <= asks.keys():
                    yield f"{container.name}: {probe} must ask {wanted}: Kubernetes' gRPC probe speaks no TLS"
        for setting_name, name, port in endpoints(container):
            # Of a name in a headless Service, and of one outside the cluster.
            name = name.split(".")[-1] if name.split(".")[-1] in services else name
            if setting_name in NO_PEER or "." in name:
                continue
            if name not in services:
                yield f"{container.name}: {setting_name} calls `{name}`, which is no Service"
            elif port not in [p["port"] for p in services[name]["spec"]["ports"]]:
                yield f"{container.name}: {setting_name} calls `{name}` on {port}, which is no port of that Service"
            else:
                peer = next((c for c in containers if c.program and c.name.split()[-1] == name), None)
                if peer and listen_port(peer) != port:
                    yield f"{container.name}: calls `{name}` on {port}, but it listens on {listen_port(peer)}"
    for kind in ("Service", "ServiceAccount"):
        for name in sorted(SERVERS - named(objects, kind).keys()):
            yield f"there is no {kind} {name}"
    if found := list(named(objects, "Secret")):
        yield f"secrets do not belong into these files: {found}"


def hardening(objects, *_):
    """The profile `restricted` of the Pod Security Standards, and more."""
    for workload in workloads(objects):
        where, pod = called(workload), pod_of(workload)
        security = pod.get("securityContext", {})
        if security.get("runAsNonRoot") is not True or not security.get("runAsUser"):
            yield f"{where}: must run as a user with a number, not root"
        if security.get("seccompProfile") != {"type": "RuntimeDefault"}:
            yield f"{where}: needs the seccomp profile RuntimeDefault"
        if security.get("sysctls") or any(pod.get(key) for key in ("hostNetwork", "hostPID", "hostIPC")):
            yield f"{where}: must share nothing with its machine"
        if pod.get("automountServiceAccountToken") is not False or not pod.get("serviceAccountName"):
            yield f"{where}: needs an account of its own, without a token"
        if pod.get("enableServiceLinks") is not False:
            yield f"{where}: enableServiceLinks must be false: it would add variables to the settings"
        for volume in pod.get("volumes", []):
            if kinds := set(volume) - {"name"} - SHARED_VOLUMES:
                yield f"{where}: volume {volume['name']} is a {kinds}, which `restricted` forbids"
            secret = volume.get("secret") or volume.get("projected")
            if secret and (secret.get("defaultMode") != 0o440 or not security.get("fsGroup")):
                yield f"{where}: the secret {volume['name']} needs defaultMode 0440 and the pod an fsGroup, or all may read it"
        wanted = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
        for container in pod["containers"] + pod.get("initContainers", []):
            if container.get("securityContext") != wanted:
                yield f"{where}: securityContext must be {wanted}"
            if any("hostPort" in port for port in container.get("ports", [])):
                yield f"{where}: has a port of its machine"
            resources = container.get("resources", {})
            if "memory" not in resources.get("limits", {}) or "cpu" not in resources.get("requests", {}):
                yield f"{where}: needs a memory limit and a CPU request"
            # Ours has its tag from the overlay.
            if container["image"] != "turnwise" and (":" not in container["image"] or container["image"].endswith(":latest")):
                yield f"{where}: the image {container['image']} needs a version"


def parts(folder):
    """The folders that an overlay is made of, as connections.yaml names them."""
    folder = pathlib.Path(folder).resolve()
    yield str(folder.relative_to(KUBERNETES)) if folder.is_relative_to(KUBERNETES) else "elsewhere"
    about = yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))
    for other in about.get("resources", []) + about.get("components", []):
        if (folder / other).is_dir():
            yield from parts(folder / other)


def connections(objects, containers, folder):
    """Policies allow what connections.yaml says of the parts of this overlay, and it says what the settings need."""
    table = Connections(KUBERNETES / "connections.yaml")
    pods = {w["metadata"]["name"]: w["spec"]["template"]["metadata"]["labels"] for w in workloads(objects)}
    rows = dict(table.edges(set(parts(folder))))
    allowed, faults = table.allowed(objects, pods)
    yield from faults
    callers = {source for source, _, _ in rows}
    dns = {(pod, "dns", 53) for pod in callers & pods.keys()}
    yield from (f"policies allow {edge}, and connections.yaml does not" for edge in sorted(allowed - rows.keys() - dns))
    yield from (f"connections.yaml has {edge}, and no policy allows it" for edge in sorted((rows.keys() | dns) - allowed))
    needed = {}
    for container in containers:
        pod = container.name.split()[-1]
        for setting_name, host, port in endpoints(container):
            if setting_name not in NO_PEER:
                target = next((name for name in host.split(".")[::-1] if name in pods), "outside")
                needed[pod, target, port] = setting_name
    for pod, host, port in bundles(objects, containers):
        target = next((name for name in host.split(".")[::-1] if name in pods), "outside")
        needed[pod, target, port] = "COURSES_DIR"
    for edge, setting_name in needed.items():
        if edge not in allowed:
            yield f"{setting_name} names {edge}, and no policy allows it: add it to connections.yaml"
    for edge, row in rows.items():
        # Sentinels name the servers.
        through_sentinels = edge[1] == "redis" and (edge[0], "redis-sentinel", 26379) in needed
        if "setting" in row and edge not in needed and not through_sentinels:
            yield f"{edge} is allowed for {row['setting']}, which names something else"


def disruption(objects, *_):
    budgets = [o["spec"] for o in objects if o["kind"] == "PodDisruptionBudget"]
    for workload in workloads(objects):
        where, labels = called(workload), workload["spec"]["template"]["metadata"]["labels"]
        fewest, most = replicas(workload, objects)
        covers = [b for b in budgets if selects(b["selector"], labels)]
        if fewest == 1 and covers:
            yield f"{where}: a budget for one replica does nothing, or keeps its machine from being drained"
        if fewest > 1 and [b.get("maxUnavailable") for b in covers] != [1]:
            yield f"{where}: needs one PodDisruptionBudget with maxUnavailable 1"
        spread = [s for s in pod_of(workload).get("topologySpreadConstraints", []) if selects(s["labelSelector"], labels)]
        if most > 1 and "kubernetes.io/hostname" not in [s["topologyKey"] for s in spread]:
            yield f"{where}: its replicas need a topology spread over machines"


def own_start(container, objects):
    """Seconds that a healthy process may take until it serves, by its own deadlines."""
    redis = constant("libs/redis/src/node.rs", "CONNECT_TIMEOUT")
    workload = next(w for w in workloads(objects) if called(w) == container.name)
    # Each is unpacked before the next is asked for, so a start that is ended has less to fetch the next time.
    fetch = constant("libs/course-bundles/src/fetch.rs", "WHOLE") if addresses(objects, workload, container) else 0
    match container.program:
        case "gateway-svc":
            waits = redis + constant("gateway-svc/src/auth/keys.rs", "FETCH_TIMEOUT")
        case "retrieval-svc":
            # With Qdrant it waits so long for the model gateway.
            waits = fetch + constant("retrieval-svc/src/config.rs", "MODEL_WAIT")
        case "llm-gateway-svc":
            waits = redis + int(setting(container, "LLM_REDIS_RESPONSE_TIMEOUT_SECONDS"))
        case "session-svc":
            waits = redis + int(setting(container, "SESSION_REDIS_RESPONSE_TIMEOUT_MS")) / 1000
        case _:
            waits = fetch
    return max(waits, READING)


def patience(objects, containers, _):
    """Probes wait longer than a healthy process may take."""
    for container in containers:
        probes = [container.source.get(f"{kind}Probe") for kind in ("startup", "readiness", "liveness")]
        if not all(probes):
            yield f"{container.name}: needs all three probes"
            continue
        startup, ready, live = (p.get("periodSeconds", 10) * p.get("failureThreshold", 3) for p in probes)
        own = own_start(container, objects)
        if "redis-server" in str(probes) or container.name.endswith(" redis"):
            own = quantity(container.source["resources"]["limits"]["memory"]) / 2 / REDIS_READS
        if startup < 1.5 * own:
            yield f"{container.name}: its start may take {own:.0f} s, and the startup probe gives up after {startup} s"
        if live < 30 or live <= ready:
            yield f"{container.name}: a restart is the last resort: the liveness probe's {live} s must be 30 and above {ready} s"


def drain(objects, containers, _):
    """A turn that runs when its process is told to end is finished, with all the time that it would have had."""
    for workload in workloads(objects):
        container = next((c for c in containers if c.name == called(workload) and c.program), None)
        if not container:
            continue
        delay, timeout = (int(setting(container, f"DRAIN_{which}_SECONDS")) for which in ("DELAY", "TIMEOUT"))
        gateway = next(c for c in containers if c.program == "gateway-svc")
        turn = int(setting(gateway, "TURN_DEADLINE_SECONDS"))
        grace = pod_of(workload).get("terminationGracePeriodSeconds", 30)
        if timeout <= turn:
            yield f"{container.name}: DRAIN_TIMEOUT_SECONDS ({timeout}) must be above the longest turn, TURN_DEADLINE_SECONDS ({turn})"
        if grace < delay + timeout + BESIDE_DRAIN:
            yield f"{container.name}: a drain of {delay + timeout} s needs a grace of {delay + timeout + BESIDE_DRAIN} s, not {grace}"


def redis(objects, containers, _):
    configs = named(objects, "ConfigMap")
    for workload in workloads(objects):
        if workload["metadata"]["name"] != "redis":
            continue
        where, spec = called(workload), workload["spec"]
        container = next(c for c in containers if c.name == where)
        limit = next((e for e in container.source.get("env", []) if e["name"] == "MEMORY_LIMIT"), {})
        if limit.get("valueFrom", {}).get("resourceFieldRef", {}).get("resource") != "limits.memory":
            yield f"{where}: MEMORY_LIMIT must be the container's, so that maxmemory is below it"
        volumes = {v["name"]: v for v in pod_of(workload)["volumes"]}
        mounts = {m["mountPath"]: m["name"] for m in container.source["volumeMounts"]}
        files = configs[volumes[mounts["/etc/redis"]]["configMap"]["name"]]["data"]
        lines = files["redis.conf"].splitlines()
        for line in ("maxmemory-policy noeviction", "appendonly yes", "dir /data"):
            if line not in lines:
                yield f"{where}: redis.conf needs `{line}`"
        if mounts.get("/data") not in [c["metadata"]["name"] for c in spec.get("volumeClaimTemplates", [])]:
            yield f"{where}: /data must be a volume of its own for each replica"
        if spec["replicas"] > 1 and "min-replicas-to-write 1" not in files.get("replica.sh", ""):
            yield f"{where}: a primary without a replica must take no writes"


def ollama(_, containers, __):
    server = next((c for c in containers if c.name == "StatefulSet ollama"), None)
    caller = next(c for c in containers if c.program == "llm-gateway-svc")
    if setting(caller, "HELPER_LLM_BACKEND") == "ollama" and server is None:
        yield f"{caller.name}: HELPER_LLM_BACKEND is ollama, and no Ollama runs here"
    if server:
        for theirs, ours in (("OLLAMA_NUM_PARALLEL", "HELPER_MAX_CONCURRENCY"), ("OLLAMA_CONTEXT_LENGTH", "OLLAMA_NUM_CTX")):
            if server.environment.get(theirs) != setting(caller, ours):
                yield f"{server.name}: {theirs} must be llm-gateway-svc's {ours}"
        keeps = server.environment.get("KEEP_ALIVE_SECONDS")
        if server.environment.get("OLLAMA_KEEP_ALIVE") != "$(KEEP_ALIVE_SECONDS)s" or keeps != setting(caller, "OLLAMA_KEEP_ALIVE_SECONDS"):
            yield f"{server.name}: OLLAMA_KEEP_ALIVE must be llm-gateway-svc's OLLAMA_KEEP_ALIVE_SECONDS"


def served_metrics(rules):
    """The metrics that prometheus-adapter serves by these rules, each under the name that our services give it."""
    metrics = (KUBERNETES.parent.parent / "libs/kit/src/metrics.rs").read_text(encoding="utf-8")
    for rule in rules["rules"]["custom"]:
        name = rule["name"]["as"]
        if re.match(r"\w+", rule["seriesQuery"])[0] == name and f'"{name}",' in metrics:
            yield name


def autoscalers(objects, containers, _):
    rules = yaml.safe_load((KUBERNETES / "components/hpa/prometheus-adapter.yaml").read_text(encoding="utf-8"))
    served = set(served_metrics(rules))
    deployments = named(objects, "Deployment")
    for name, scaler in named(objects, "HorizontalPodAutoscaler").items():
        target = deployments.get(scaler["spec"]["scaleTargetRef"]["name"])
        if target is None:
            yield f"HorizontalPodAutoscaler {name}: scales nothing that is here"
            continue
        if "replicas" in target["spec"]:
            yield f"Deployment {name}: says `replicas`, which each apply would set again"
        container = next(c for c in containers if c.name == f"Deployment {name}")
        asked = {m["pods"]["metric"]["name"] if m["type"] == "Pods" else m["resource"]["name"] for m in scaler["spec"]["metrics"]}
        if asked != SCALED_BY:
            yield f"HorizontalPodAutoscaler {name}: must ask for {sorted(SCALED_BY)}, not {sorted(asked)}"
        for metric in (m["pods"] for m in scaler["spec"]["metrics"] if m["type"] == "Pods"):
            if metric["metric"]["name"] not in served:
                yield f"HorizontalPodAutoscaler {name}: no rule of prometheus-adapter serves {metric['metric']['name']}, or no service has it"
            if float(metric["target"]["averageValue"]) >= 0.8 * int(setting(container, "MAX_IN_FLIGHT")):
                yield f"HorizontalPodAutoscaler {name}: MAX_IN_FLIGHT refuses calls before it scales"


def secrets(objects, _, folder):
    """Every secret that a pod mounts is one that a README tells how to make."""
    texts = [KUBERNETES / "README.md", *(KUBERNETES / part / "README.md" for part in parts(folder))]
    told = " ".join(text.read_text(encoding="utf-8") for text in texts if text.is_file())
    made = {o["spec"]["secretName"] for o in objects if o["kind"] == "Certificate"}
    for workload in workloads(objects):
        for volume in pod_of(workload).get("volumes", []):
            sources = [volume, *volume.get("projected", {}).get("sources", [])]
            mounted = {s["secret"].get("secretName") or s["secret"]["name"] for s in sources if "secret" in s}
            for name in sorted(mounted - made):
                if not re.search(rf"(?<![\w-]){name}(?![\w-])", told):
                    yield f"{called(workload)}: no README says how to make the secret `{name}`"


# What the schemas of Kubernetes check.
WITH_SCHEMAS = {"v1", "apps/v1", "autoscaling/v2", "networking.k8s.io/v1", "policy/v1"}
# Kinds that they do not know, and what their `spec` may have.
FOREIGN = {
    "gateway.networking.k8s.io/v1 Gateway": {"gatewayClassName", "listeners"},
    "gateway.networking.k8s.io/v1 GRPCRoute": {"parentRefs", "hostnames", "rules"},
    "monitoring.coreos.com/v1 PodMonitor": {"selector", "podTargetLabels", "podMetricsEndpoints"},
    "monitoring.coreos.com/v1 PrometheusRule": {"groups"},
    "cert-manager.io/v1 Issuer": {"selfSigned", "ca"},
    "cert-manager.io/v1 Certificate": {
        *("secretName", "isCA", "commonName", "dnsNames", "usages"),
        *("duration", "renewBefore", "privateKey", "issuerRef"),
    },
}


def foreign(objects, containers, _):
    """What no schema checks: that these objects have no other parts, and name what is here."""
    services, issuers, gateways = (named(objects, kind) for kind in ("Service", "Issuer", "Gateway"))
    mounted = {v["secret"]["secretName"] for w in workloads(objects) for v in pod_of(w).get("volumes", []) if "secret" in v}
    for item in objects:
        kind, where, spec = item["kind"], f"{item['kind']} {item['metadata']['name']}", item.get("spec", {})
        if item["apiVersion"] in WITH_SCHEMAS:
            continue
        allowed = FOREIGN.get(f"{item['apiVersion']} {kind}")
        if allowed is None:
            yield f"{where}: {item['apiVersion']} is known to no check; add it to FOREIGN"
            continue
        if unknown := set(spec) - allowed:
            yield f"{where}: has {unknown} that no check knows"
        if kind == "GRPCRoute":
            for backend in (b for rule in spec["rules"] for b in rule["backendRefs"]):
                ports = services.get(backend["name"], {"spec": {"ports": []}})["spec"]["ports"]
                if backend["port"] not in [port["port"] for port in ports]:
                    yield f"{where}: {backend['name']} has no port {backend['port']}"
            for parent in spec["parentRefs"]:
                listeners = gateways.get(parent["name"], {"spec": {"listeners": []}})["spec"]["listeners"]
                if parent["sectionName"] not in [listener["name"] for listener in listeners]:
                    yield f"{where}: the Gateway {parent['name']} has no listener {parent['sectionName']}"
        if kind == "PodMonitor":
            for container in (c for c in containers if c.program):
                if not named_port(container, spec["podMetricsEndpoints"][0]["port"]):
                    yield f"{where}: {container.name} has no such port"
        if kind == "Certificate":
            if spec["issuerRef"]["name"] not in issuers:
                yield f"{where}: there is no Issuer {spec['issuerRef']['name']}"
            if not spec.get("isCA") and (spec["secretName"] not in mounted or not set(spec["dnsNames"]) <= services.keys()):
                yield f"{where}: nobody mounts {spec['secretName']}, or no Service has its name"


CHECKS = (
    *(names, hardening, connections, disruption, patience, drain, memory),
    *(redis, archives, versions, courses, ollama, autoscalers, secrets, foreign),
)
