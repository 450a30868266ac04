"""What a simulator does for help with procedures; titration.py and bouncing_ball.py use it (pip install grpcio grpcio-tools).
The environment has TURNWISE (HOST:PORT), TOKEN (role service, on_behalf_of the learner), COURSE and CLASS.
"""
import collections, logging, os, sys, time, uuid
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import grpc

proto = Path(__file__).resolve().parents[2] / "proto"
sys.path += [str(proto), str(proto / "third_party")]
messages, services = grpc.protos_and_services("turnwise/procedure/v1/procedure_help_service.proto")
answers = grpc.protos("turnwise/procedure/v1/help.proto")
logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stdout)
say = logging.info  # whole lines, from any thread

RATE = 30  # observations a second
FIELDS = {bool: "truth", int: "integer", float: "number", str: "word"}  # of a variable, by the type of its value
# The server is away or busy: the same may be tried again. Any other refusal stays.
PASSING = ("UNAVAILABLE", "CANCELLED", "ABORTED", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED")


class HelpSession:
    """A run of a procedure. Its simulator has `values` by raw names, its own `elements`, and `tick()`, by which it goes on."""

    def __init__(self, procedure, simulator):
        self.simulator, self.who = simulator, [("authorization", f"Bearer {os.environ['TOKEN']}")]
        self.service = services.ProcedureHelpServiceStub(grpc.insecure_channel(os.environ.get("TURNWISE", "127.0.0.1:50050")))
        self.sequence, self.step, self.last_event, self.ended = 0, "", 0, False
        self.highlight = self.watching = None
        # Sent again after a break. Each observation has all values, so that the oldest may go.
        self.unstored = collections.deque(maxlen=60 * RATE)
        self.id = self.call("OpenHelpSession", course_id=os.environ.get("COURSE", "algebra-foundations"),
                            class_id=os.environ["CLASS"], procedure_id=procedure,
                            idempotency_key=str(uuid.uuid4())).session.session_id
        say(f"session {self.id}")

    def __enter__(self):
        pool = ThreadPoolExecutor()
        self.streams = [pool.submit(self.insist, stream) for stream in (self.send_observations, self.watch_overlays)]
        return self

    def __exit__(self, *_):
        self.ended = True
        self.streams[0].exception()  # waits until the rest is stored
        self.watching and self.watching.cancel()

    def insist(self, attempt):
        while True:
            try:
                return attempt()
            except grpc.RpcError as error:
                if error.code().name not in PASSING or self.ended and not self.unstored:
                    raise
                say(f"{error.code().name}, trying again; {len(self.unstored)} observations are not stored yet")
                time.sleep(1)

    def call(self, method, **fields):
        """One call; every try is the same request, so its idempotency key is the same."""
        request = getattr(messages, f"{method}Request")(**fields)
        return self.insist(lambda: getattr(self.service, method)(request, metadata=self.who, timeout=20))

    def run(self, seconds=1.2, until=lambda: False):
        """Lets the simulator go on and observes it, for so long at most."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not until():
            self.simulator.tick()
            request = messages.RecordObservationsRequest(observation={"sequence": self.sequence + 1})
            request.observation.client_time.GetCurrentTime()
            for name, value in self.simulator.values.items():
                request.observation.variables.add(name=name, **{FIELDS[type(value)]: value})
            self.unstored.append(request)
            self.sequence += 1
            if self.highlight and self.highlight.expire_time.ToSeconds() < time.time():
                self.highlight = None
            for stream in filter(Future.done, self.streams):
                stream.result()  # raises why it was refused
            time.sleep(1 / RATE)

    def requests(self):
        """The session's id, then what is not stored, then what comes, until the end."""
        yield messages.RecordObservationsRequest(session_id=self.id)
        sent = 0
        while not self.ended or sent < self.sequence:
            last = self.sequence
            yield from (request for request in list(self.unstored) if request.observation.sequence > sent)
            sent = last
            time.sleep(1 / RATE)

    def send_observations(self):
        while not self.ended or self.unstored:
            for reply in self.service.RecordObservations(self.requests(), metadata=self.who):
                while self.unstored and self.unstored[0].observation.sequence <= reply.receipt.stored_sequence:
                    self.unstored.popleft()
                if self.step != reply.receipt.step_id:
                    self.step = reply.receipt.step_id
                    say(f"  now at the step: {self.step or 'none, all is done'}")

    def watch_overlays(self):
        while not self.ended:
            request = messages.WatchOverlaysRequest(session_id=self.id, after_event_id=self.last_event)
            self.watching = self.service.WatchOverlays(request, metadata=self.who)
            for reply in self.watching:
                self.last_event = reply.event.event_id
                self.show(reply.event.overlay)

    def show(self, overlay):
        """Does what is asked for with the elements that there are, and says whether it could."""
        self.highlight = overlay if overlay.intent == answers.OVERLAY_INTENT_HIGHLIGHT else None
        outcome, problem = answers.OVERLAY_STATE_APPLIED, ""
        if self.highlight and overlay.element_id not in self.simulator.elements:
            self.highlight, outcome, problem = None, answers.OVERLAY_STATE_FAILED, "no_such_element"
        say(f"  [* {overlay.label} *]" if self.highlight else f"  nothing is highlighted {problem}".rstrip())
        self.call("RecordOverlayAck", session_id=self.id, overlay_id=overlay.overlay_id, outcome=outcome, problem=problem)

    def press_help(self):
        """Shows the answer; its highlight comes with the overlays. True once the procedure is finished."""
        answer = self.call("RequestHelp", session_id=self.id, idempotency_key=str(uuid.uuid4())).help
        say("\n  ".join([f"help ({answer.step_id or 'all is done'}):", answer.message, *answer.explanations]))
        return answer.step_status == answers.STEP_STATUS_FINISHED
