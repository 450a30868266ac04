"""Asks the homework helper: python helper_chat.py HOST:PORT STAFF-TOKEN STUDENT-TOKEN CLASS COURSE LESSON MESSAGE"""
import sys, time, uuid
from pathlib import Path

import grpc
from google.rpc import error_details_pb2, status_pb2

proto = Path(__file__).parents[2] / "proto"
sys.path += [str(proto), str(proto / "third_party")]
messages, services = grpc.protos_and_services("turnwise/helper/v1/helper_service.proto")

address, staff, student, class_id, course_id, lesson, message = sys.argv[1:]
helper = services.HelperServiceStub(grpc.insecure_channel(address))


def who(token):
    return {"metadata": [("authorization", f"Bearer {token}")], "timeout": 75}


def details(error):
    """The details of a refusal by the last part of their names."""
    kinds = error_details_pb2.ErrorInfo, error_details_pb2.RetryInfo, messages.PlaceTicket
    packed = dict(error.trailing_metadata()).get("grpc-status-details-bin", b"")
    found = {}
    for detail in status_pb2.Status.FromString(packed).details:
        for kind in kinds:
            if detail.Is(kind.DESCRIPTOR):
                found[kind.DESCRIPTOR.name] = kind.FromString(detail.value)
    return found


# The platform's server mints the token when it makes the page; the page only carries it.
page = helper.MintScopeToken(messages.MintScopeTokenRequest(
    class_id=class_id, course_id=course_id, scope={"context": lesson}), **who(staff)).scope_token

request = messages.ChatRequest(message=message, scope_token=page, idempotency_key=str(uuid.uuid4()))
for _ in range(20):
    try:
        answer = helper.Chat(request, **who(student))
        break
    except grpc.RpcError as error:
        refusal = details(error)
        if "RetryInfo" not in refusal:
            sys.exit(f"{refusal['ErrorInfo'].reason if 'ErrorInfo' in refusal else error.code()}: {error.details()}")
        if "PlaceTicket" in refusal:
            # The place in the queue is kept for whoever comes back with the ticket.
            request.place_ticket = refusal["PlaceTicket"].place_ticket
            request.conversation_id = refusal["PlaceTicket"].conversation_id
        time.sleep(refusal["RetryInfo"].retry_delay.ToTimedelta().total_seconds())
else:
    sys.exit("the helper stays busy")

print(answer.text)
for citation in answer.citations:
    print(f"[{citation.number}] {citation.source} {citation.section} {citation.url}")
print("next:", " / ".join(answer.follow_up_suggestions))
