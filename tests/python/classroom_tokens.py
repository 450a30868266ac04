"""A class at work, and what it costs a llama.cpp server in tokens, by the server's own counters.

Start a server with `--metrics` and the suite in front of it (docs/figures.md has the lines), then:

    python classroom_tokens.py HOST:PORT --data-dir DATA --server http://127.0.0.1:8080 --save now.json
    python classroom_tokens.py HOST:PORT --data-dir DATA --server http://127.0.0.1:8080 --baseline before.json

pip install grpcio grpcio-tools
"""
import argparse, asyncio, json, re, subprocess, sys, urllib.request, uuid
from collections import Counter
from pathlib import Path

import grpc

REPOSITORY = Path(__file__).parents[2]
sys.path += [str(REPOSITORY / "proto"), str(REPOSITORY / "proto" / "third_party")]
messages, services = grpc.protos_and_services("turnwise/tutor/v1/tutor_service.proto")

COURSE, CLASS = "algebra-foundations", "tokens"
# What the pupils of each unit say, turn by turn; pupils begin at different places, so that not all say the same at once.
SAID = [
    ["How do I add 1/4 and 1/3?", "do I add the bottoms too?", "why must the pieces have the same size",
     "is it 7/12 then", "what if I take 1/6 away from 3/4", "I don't get the common denominator"],
    ["How do I solve 2x + 3 = 11?", "do I divide by 2 first?", "why do I take away 3 on both sides",
     "so 2x is 8", "what changes with 5x - 4 = 16", "I always mix up the order"],
]
REASONS = messages.TakeTurnResponse.DESCRIPTOR.fields_by_name["degraded_reasons"].enum_type.values_by_number
COUNTERS = {"processed": "prompt_tokens_total", "written": "tokens_predicted_total", "cached": "prompt_tokens_cached_total"}


def counters(server):
    """What the server has counted so far. A server without the count of cached tokens has None there."""
    with urllib.request.urlopen(f"{server}/metrics", timeout=30) as answer:
        text = answer.read().decode()
    found = {}
    for name, counter in COUNTERS.items():
        line = re.search(rf"^llamacpp:{counter} (\S+)", text, re.MULTILINE)
        found[name] = float(line.group(1)) if line else None
    if found["processed"] is None or found["written"] is None:
        sys.exit(f"{server}/metrics counts no tokens; start llama.cpp's server with --metrics")
    return found


def token(options, student):
    """A development token for one pupil."""
    made = subprocess.run([options.turnwise, "token", "--data-dir", options.data_dir, "--student", student,
                           "--class", CLASS], capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"no token: {made.stderr.strip()}")
    return made.stdout.strip()


async def pupil(options, tutor, number, outcomes):
    """One pupil's thread, turn by turn."""
    who = [("authorization", f"Bearer {token(options, f'pupil-{options.run}-{number}')}")]
    made = await tutor.CreateThread(messages.CreateThreadRequest(
        course_id=COURSE, class_id=CLASS, idempotency_key=str(uuid.uuid4())), metadata=who)
    said = SAID[number % len(SAID)]
    for turn in range(options.turns):
        # The first message says what it is about.
        text = said[0] if turn == 0 else said[1 + (turn - 1 + number // len(SAID)) % (len(said) - 1)]
        request = messages.StreamTurnRequest(turn=messages.TakeTurnRequest(
            thread_id=made.thread.thread_id, course_id=COURSE, idempotency_key=str(uuid.uuid4()), input={"text": text}))
        async for news in tutor.StreamTurn(request, metadata=who, timeout=options.patience):
            if news.HasField("answer"):
                reasons = [REASONS[reason].name for reason in news.answer.degraded_reasons]
                outcomes["valid" if not reasons else " ".join(reasons)] += 1


def figure(name, value, bound, kept):
    print(f"figure {name} {value:.3f} {bound}{'' if kept else ' missed'}")


async def main(options):
    before, outcomes = counters(options.server), Counter()
    async with grpc.aio.insecure_channel(options.address) as channel:
        tutor = services.TutorServiceStub(channel)
        await asyncio.gather(*(pupil(options, tutor, number, outcomes) for number in range(options.pupils)))
    after, turns = counters(options.server), outcomes.total()
    run = {"pupils": options.pupils, "turns": options.turns, "valid": outcomes["valid"] / turns}
    for name in COUNTERS:
        run[name] = None if after[name] is None else (after[name] - (before[name] or 0)) / turns
    print(f"{turns} turns: {dict(outcomes)}")
    for name in COUNTERS:
        print(f"{name} tokens a turn: {'not counted by the server' if run[name] is None else round(run[name], 1)}")
    if run["cached"] is not None:
        print(f"share of prompts found in the cache: {run['cached'] / (run['cached'] + run['processed']):.3f}")
    print(f"share of valid replies: {run['valid']:.3f}")
    if options.save:
        Path(options.save).write_text(json.dumps(run) + "\n")
    if options.baseline:
        old = json.loads(Path(options.baseline).read_text())
        if (old["pupils"], old["turns"]) != (run["pupils"], run["turns"]):
            sys.exit(f"{options.baseline} is of {old['pupils']} pupils with {old['turns']} turns; compare like with like")
        for name, key, most in (("prompt_tokens_processed_ratio", "processed", 0.4), ("tokens_written_ratio", "written", 0.7)):
            ratio = run[key] / old[key]
            figure(name, ratio, f"<={most}", ratio <= most)
        figure("valid_replies_over_before", run["valid"] - old["valid"], ">=0", run["valid"] >= old["valid"])


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("address", help="where gateway-svc listens: HOST:PORT")
parser.add_argument("--data-dir", required=True, help="the suite's data directory, for development tokens")
parser.add_argument("--server", required=True, help="llama.cpp's server, such as http://127.0.0.1:8080")
parser.add_argument("--turnwise", default=str(REPOSITORY / "target" / "release" / "turnwise"))
parser.add_argument("--pupils", type=int, default=30)
parser.add_argument("--turns", type=int, default=4, help="turns of each pupil")
parser.add_argument("--patience", type=int, default=590, help="seconds for which a turn is waited for")
parser.add_argument("--save", help="where to keep this run's counts")
parser.add_argument("--baseline", help="an earlier run's counts, to compare with")
options = parser.parse_args()
if options.pupils < 1 or options.turns < 1:
    parser.error("a class has a pupil and a turn at the least")
options.run = uuid.uuid4().hex[:8]
asyncio.run(main(options))
