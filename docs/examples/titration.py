"""A simulated learner titrates in a simulated laboratory, with help.

TOKEN=… CLASS=7b python titration.py; help_client.py says more.
"""
import math

from help_client import HelpSession, say

ML_A_TICK = {"closed": 0.0, "dropwise": 0.03, "open": 0.2}
ACID_ML, MOL_PER_L = 25.0, 0.1


class Laboratory:
    """What telemetry.yaml of the procedure lists, and what ui.yaml lists but for the goggles: they hang beside the screen."""

    elements = {
        "stand-clamp", "burette-body", "bottle-naoh-small", "bottle-naoh", "burette-funnel", "burette-tap", "burette-scale",
        "lab-notes", "pipette-25", "bottle-phenolphthalein", "flask-conical", "stirrer-knob", "meter-ph",
    }

    def __init__(self):
        self.values = {
            "PPE.GOGGLES": False, "BURETTE.CLAMPED": False, "BURETTE.RINSED": False, "BURETTE.FUNNEL": True,
            "BURETTE.POURED": 0.0, "BURETTE.TAP": "closed", "BURETTE.AIR": True, "NOTES.START": False, "FLASK.SAMPLE": 0.0,
            "FLASK.INDICATOR": 0, "FLASK.PLACED": False, "STIRRER.SPEED": "off", "FLASK.TITRANT": 0.0, "FLASK.PH": 7.0,
            "FLASK.COLOUR": "colourless", "NOTES.END": False,
        }

    def tick(self):
        values = self.values
        flow = ML_A_TICK[values["BURETTE.TAP"]]
        if flow:
            values["BURETTE.AIR"] = False
        if values["FLASK.PLACED"]:
            values["FLASK.TITRANT"] += flow
        if values["FLASK.SAMPLE"]:
            base = values["FLASK.TITRANT"]
            excess = MOL_PER_L * (values["FLASK.SAMPLE"] - base) / (values["FLASK.SAMPLE"] + base)  # of acid, mol/L
            # Charges balance: [H+] - 1e-14 / [H+] = excess.
            values["FLASK.PH"] = -math.log10(excess / 2 + math.sqrt(excess * excess / 4 + 1e-14))
        if values["FLASK.INDICATOR"]:
            ph = values["FLASK.PH"]
            values["FLASK.COLOUR"] = "colourless" if ph < 8.2 else "pale_pink" if ph <= 10 else "deep_pink"


laboratory = Laboratory()
with HelpSession("titration", laboratory) as session:

    def does(what, changes, asks_before=False, **how_long):
        if asks_before:
            session.press_help()
            session.run()
        say(f"the learner {what}")
        laboratory.values.update(changes)
        session.run(**how_long)

    session.run()
    does("puts on the goggles", {"PPE.GOGGLES": True}, asks_before=True)
    does("clamps the burette", {"BURETTE.CLAMPED": True})
    does("rinses it", {"BURETTE.RINSED": True}, asks_before=True)
    does("fills it", {"BURETTE.POURED": 45.0}, seconds=2)
    does("takes off the funnel", {"BURETTE.FUNNEL": False})
    does("opens the tap for a moment", {"BURETTE.TAP": "open"}, asks_before=True)
    does("closes it", {"BURETTE.TAP": "closed"})
    does("notes the reading", {"NOTES.START": True})
    does("transfers the acid", {"FLASK.SAMPLE": ACID_ML}, seconds=2)
    does("adds far too much indicator", {"FLASK.INDICATOR": 9})
    does("takes a new flask, with three drops", {"FLASK.INDICATOR": 3}, asks_before=True)
    does("puts the flask on the stirrer", {"FLASK.PLACED": True})
    does("starts the stirrer", {"STIRRER.SPEED": "slow"})
    does("opens the tap", {"BURETTE.TAP": "open"}, seconds=60, until=lambda: laboratory.values["FLASK.TITRANT"] > 20)
    does("lets drops fall", {"BURETTE.TAP": "dropwise"}, seconds=60, until=lambda: laboratory.values["FLASK.PH"] > 8.2)
    does("closes the tap", {"BURETTE.TAP": "closed"}, seconds=3)
    does("notes the reading", {"NOTES.END": True}, asks_before=True)
    while not session.press_help():
        session.run()
