"""Opens a thread and takes a turn: python first_turn.py HOST:PORT TOKEN CLASS COURSE (pip install grpcio grpcio-tools)"""
import sys, uuid
from pathlib import Path

import grpc

proto = Path(__file__).parents[2] / "proto"
sys.path += [str(proto), str(proto / "third_party")]
messages, services = grpc.protos_and_services("turnwise/tutor/v1/tutor_service.proto")

address, token, class_id, course_id = sys.argv[1:]
tutor = services.TutorServiceStub(grpc.insecure_channel(address))
who = {"metadata": [("authorization", f"Bearer {token}")], "timeout": 75}

thread = tutor.CreateThread(messages.CreateThreadRequest(
    course_id=course_id, class_id=class_id, idempotency_key=str(uuid.uuid4())), **who).thread
answer = tutor.TakeTurn(messages.TakeTurnRequest(
    thread_id=thread.thread_id, course_id=course_id, idempotency_key=str(uuid.uuid4()),
    input={"text": "Why does minus a minus make a plus?"}), **who)
print(answer.messages[-1].text)
print("now working on:", answer.snapshot_lite.focus.title)
