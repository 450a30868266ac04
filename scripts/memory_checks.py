"""What settings may take of memory, and that limits leave room for it, in Compose and Kubernetes alike."""

import dataclasses

from deploy_files import MIB, SERVERS, quantity, with_defaults
from settings_of import number, setting

# Memory of a service with nothing to do, of a call in it, of a connection, and of a chunk of course text (docs/figures.md has
# up to 75 MB, 89 kB and 3,023 bytes). There is room for so many chunks, and for the default of MAX_CONNECTIONS.
AT_REST, A_CALL, A_CONNECTION, A_CHUNK = 80 * MIB, 96 << 10, 12 << 10, 3_023
CHUNKS, CONNECTIONS = 50_000, 10_000

# Room for what Ollama holds beside the model and its windows: itself, and the buffers in which a prompt is computed.
OLLAMA = 1024 * MIB
# The weights of a model, in bytes, and what a token in a window takes: a key and a value of two bytes (f16, as Ollama has them)
# for each layer and number of its key heads, 2 * 2 * layers * heads * width. From the model's config.json: 16, 8, 64.
MODELS = {"llama3.2:1b": (1_321_098_329, 2 * 2 * 16 * 8 * 64)}


def needed(container):
    """What one of our programs may take."""
    takes = AT_REST + int(setting(container, "MAX_IN_FLIGHT")) * A_CALL
    if container.program == "gateway-svc":
        takes += CONNECTIONS * A_CONNECTION
    if container.program == "llm-gateway-svc":
        # For each model: one completes, one embeds.
        takes += 2 * int(setting(container, "QUEUE_MAX_BYTES"))
    if container.program == "retrieval-svc":
        takes += CHUNKS * A_CHUNK
    if "PACK_ARCHIVE_DIR" in container.environment:
        # A bundle that is unpacked is in memory as it was stored.
        takes += number("libs/course-bundles/src/limits.rs", "MAX_BUNDLE_BYTES")
    return takes


def too_little(container, limit):
    """A fault if one of our programs has less than its settings may take."""
    if limit < needed(container):
        yield f"{container.name}: its settings may take {needed(container) / MIB:.0f} MiB, its limit is {limit / MIB:.0f}"


def too_little_for_models(server, caller, limit):
    """A fault if Ollama has less than the model of llm-gateway-svc takes with a window for each slot."""
    model = setting(caller, "OLLAMA_MODEL")
    if model not in MODELS:
        yield f"{server.name}: how much memory {model} takes is not known; add it to MODELS in scripts/memory_checks.py"
        return
    weights, token = MODELS[model]
    slots, window = (int(setting(caller, name)) for name in ("HELPER_MAX_CONCURRENCY", "OLLAMA_NUM_CTX"))
    takes = OLLAMA + weights + slots * window * token
    if limit < takes:
        yield (
            f"{server.name}: {model} with {slots} windows of {window} tokens may take {takes / MIB:.0f} MiB, "
            f"its limit is {limit / MIB:.0f}"
        )


def memory(_, containers, __):
    """Limits of an overlay leave room for what queues, settings and the model may take."""
    for container in containers:
        limit = quantity(container.source["resources"]["limits"]["memory"])
        if container.program:
            yield from too_little(container, limit)
        if container.name == "StatefulSet ollama":
            caller = next(c for c in containers if c.program == "llm-gateway-svc")
            yield from too_little_for_models(container, caller, limit)


def memory_in_compose(containers):
    """So do those of Compose with its defaults, and Redis is told of its own."""
    containers = [
        dataclasses.replace(c, environment={name: with_defaults(value) for name, value in c.environment.items()}) for c in containers
    ]
    for container in containers:
        limit = bytes_of(with_defaults(str(container.source.get("mem_limit", "0"))))
        if container.program in SERVERS:
            yield from too_little(container, limit)
        if container.name == "ollama":
            caller = next(c for c in containers if c.program == "llm-gateway-svc")
            yield from too_little_for_models(container, caller, limit)
        if "MEMORY_LIMIT" in container.environment and int(container.environment["MEMORY_LIMIT"]) != limit:
            yield f"{container.name}: MEMORY_LIMIT must be its mem_limit, so that maxmemory is below it"


def bytes_of(text):
    """Bytes of a quantity of Compose."""
    units = {"k": 1 << 10, "m": MIB, "g": 1 << 30}
    return float(text[:-1]) * units[text[-1]] if text[-1:] in units else float(text)
