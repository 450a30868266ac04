"""A small part of a turn as a plain FastAPI application, for the turn benchmark to compare with.

    pip install -r scripts/requirements.txt && python tests/python/plain_turn.py 8000
    curl localhost:8000/turn --json '{"thread_id": "t", "text": "how do I solve 2x + 3 = 11"}'

It keeps a thread's last messages in memory, finds course text by shared words, goes to the first unit that is missing on
the way, and asks a model that answers at once. No identity, limits, idempotency, exams, record or traces.
"""
import re, sys
from collections import defaultdict, deque
from pathlib import Path

import uvicorn, yaml
from fastapi import FastAPI
from pydantic import BaseModel, Field

COURSE = Path(__file__).parents[2] / "courses" / "algebra-foundations"


class Turn(BaseModel):
    thread_id: str = Field(max_length=64)
    text: str = Field(min_length=1, max_length=4000)


class Reply(BaseModel):
    text: str = Field(max_length=2000)
    sources: list[int] = Field(max_length=4)


class Answer(BaseModel):
    unit: str
    reply: Reply


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


units = {unit["id"]: unit for file in COURSE.glob("units/*.yaml") for unit in yaml.safe_load(file.read_text())["units"]}
prerequisites = {unit_id: unit["prerequisites"] for unit_id, unit in units.items()}
chunks = [("-".join(file.name.split("-")[:2]), text, words(text))
          for file in sorted(COURSE.glob("content/*.md")) for text in file.read_text().split("\n## ")[1:]]
threads = defaultdict(lambda: deque(maxlen=6))
met = {"ENTRY-00"}
app = FastAPI()


def first_missing(unit: str) -> str:
    return next((first_missing(before) for before in prerequisites[unit] if before not in met), unit)


def model(prompt: str) -> str:
    return '{"text": "Undo the last step first, and do the same on both sides.", "sources": [1, 2]}'


@app.post("/turn")
async def take_turn(turn: Turn) -> Answer:
    asked, said = words(turn.text), threads[turn.thread_id]
    found = sorted(chunks, key=lambda chunk: len(asked & chunk[2]), reverse=True)[:4]
    unit = first_missing(found[0][0])
    prompt = "\n\n".join([
        "You are a tutor. Answer as JSON with a text and its sources. Use nothing but the course text.",
        f"The unit is {units[unit]['title']}: {units[unit]['summary']}",
        *(f"[{number}] {text}" for number, (_, text, _) in enumerate(found, 1)), *said, f"student: {turn.text}"])
    reply = Reply.model_validate_json(model(prompt))
    said += [f"student: {turn.text}", f"tutor: {reply.text}"]
    return Answer(unit=unit, reply=reply)


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), access_log=False)
