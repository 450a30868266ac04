"""The connections of deploy/kubernetes/connections.yaml, their network policies, and what policies of an overlay allow."""

import pathlib

import yaml

NAME = "app.kubernetes.io/name"
DNS = (53, "dns")


def listed(value):
    return value if isinstance(value, list) else [value]


class Connections:
    """connections.yaml."""

    def __init__(self, file):
        document = yaml.safe_load(pathlib.Path(file).read_text(encoding="utf-8"))
        self.places = document["places"]
        self.dns = document["dns"]
        self.rows = document["connections"]

    def parts(self):
        return list(dict.fromkeys(row["part"] for row in self.rows))

    def title(self, end):
        return self.places[end]["title"] if end in self.places else end

    def edges(self, parts):
        """(from, to, port) of each row of these parts, with the row."""
        for row in self.rows:
            if row["part"] in parts:
                for source in listed(row["from"]):
                    for target in listed(row["to"]):
                        yield (source, target, row["port"]), row

    def _peer(self, end):
        if end in self.places:
            return self.places[end]["peer"]
        return [{"podSelector": {"matchLabels": {NAME: end}}}]

    def policies(self, part):
        """One policy for each pod of this part's rows, and, of the base, the one that forbids all else."""
        ingress, egress = {}, {}
        for (source, target, port), _ in self.edges([part]):
            ports = [{"port": port, "protocol": "TCP"}]
            if target not in self.places:
                peer = self._peer(source)
                ingress.setdefault(target, []).append({**({"from": peer} if peer else {}), "ports": ports})
            if source not in self.places:
                egress.setdefault(source, []).append({"to": self._peer(target), "ports": ports})
        if part == "base":
            yield policy("nothing-else", {}, {"policyTypes": ["Ingress", "Egress"]})
        folder = part.rpartition("/")[2]
        for pod in sorted(ingress.keys() | egress.keys()):
            rules = {}
            if pod in ingress:
                rules["ingress"] = ingress[pod]
            if pod in egress:
                ports = [{"port": 53, "protocol": protocol} for protocol in ("UDP", "TCP")]
                rules["egress"] = egress[pod] + [{"to": self.dns, "ports": ports}]
            types = [kind.capitalize() for kind in rules]
            name = pod if folder in ("base", pod) else f"{pod}-{folder}"
            yield policy(name, {"matchLabels": {NAME: pod}}, {"policyTypes": types, **rules})

    def allowed(self, objects, pods):
        """What the policies among these objects allow pods: edges, and what is wrong with a policy.

        Pods is a map from their names to their labels. A connection between two pods needs both an egress and an ingress
        that allow it; one alone is a fault.
        """
        found = [o for o in objects if o["kind"] == "NetworkPolicy"]
        edges, faults = {"ingress": set(), "egress": set()}, []
        for pod, labels in pods.items():
            closed = set()
            for spec in (o["spec"] for o in found if selects(o["spec"]["podSelector"], labels)):
                closed |= set(spec["policyTypes"])
                for direction, side in (("ingress", "from"), ("egress", "to")):
                    for rule in spec.get(direction, []):
                        for end in self._ends(rule.get(side, []), pods):
                            for port in rule["ports"]:
                                edge = (end, pod) if direction == "ingress" else (pod, end)
                                edges[direction].add((*edge, port["port"]))
            for direction in {"Ingress", "Egress"} - closed:
                faults.append(f"{pod}: no policy closes its {direction}")
        both = edges["ingress"] & edges["egress"]
        for direction, edge in ((d, e) for d, all_of in edges.items() for e in all_of - both):
            source, target, port = edge
            if source in pods and target in pods:
                faults.append(f"{source} to {target} on {port}: only the {direction} is allowed")
        return {e for all_of in edges.values() for e in all_of if e[0] not in pods or e[1] not in pods} | both, faults

    def _ends(self, peers, pods):
        """The pods and places that these peers stand for."""
        if not peers:
            yield "anyone"
        for peer in peers:
            name = next((place for place, about in self.places.items() if peer in about["peer"]), None)
            if peer in self.dns:
                yield "dns"
            elif name:
                yield name
            elif set(peer) == {"podSelector"}:
                yield from (pod for pod, labels in pods.items() if selects(peer["podSelector"], labels))
            else:
                yield str(peer)


def policy(name, selector, spec):
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name},
        "spec": {"podSelector": selector, **spec},
    }


def selects(selector, labels):
    """Whether a selector of labels, without expressions, selects these."""
    if set(selector) - {"matchLabels"}:
        raise SystemExit(f"error: a selector of a network policy has more than matchLabels: {selector}")
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())
