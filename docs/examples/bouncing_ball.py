"""A simulated learner builds a ball that bounces and counts, with help.

TOKEN=… CLASS=7b python bouncing_ball.py; help_client.py says more.
"""
from help_client import HelpSession, say


class Page:
    """The page with the blocks: what telemetry.yaml of the procedure lists, and the elements of its ui.yaml."""

    elements = {
        "menu-sprites", "palette-events", "palette-control", "palette-motion", "palette-variables", "blocks-workspace",
        "button-green-flag", "stage",
    }

    def __init__(self):
        self.values = {
            "sprite.kind": "cat", "script.start": False, "script.forever": False, "script.move": 0,
            "script.move.in_forever": False, "script.bounce.in_forever": False, "blocks.loose": 0, "variable.score": False,
            "script.click.score": False, "stage.running": False, "stage.runs": 0, "stage.best_score": 0,
        }

    def tick(self):
        """Nothing here goes on by itself that could be observed."""


page = Page()
with HelpSession("bouncing-ball", page) as session:

    def does(what, changes, asks_before=False):
        if asks_before:
            session.press_help()
            session.run()
        say(f"the learner {what}")
        page.values.update(changes)
        session.run()

    does("looks at the page", {})
    does("chooses the ball", {"sprite.kind": "ball"}, asks_before=True)
    does("begins a script with the green flag", {"script.start": True})
    does("puts forever below it", {"script.forever": True}, asks_before=True)
    does("moves by 100 steps, which is too far", {"script.move": 100, "script.move.in_forever": True})
    does("moves by 10 steps", {"script.move": 10}, asks_before=True)
    does("leaves a block lying about", {"blocks.loose": 1})
    does("lets the ball bounce", {"script.bounce.in_forever": True})
    does("makes a score", {"variable.score": True}, asks_before=True)
    does("counts clicks", {"script.click.score": True})
    does("throws the loose block away", {"blocks.loose": 0}, asks_before=True)
    does("starts the project", {"stage.running": True, "stage.runs": 1})
    does("misses the ball", {}, asks_before=True)
    for hits in 1, 2, 3:
        does(f"hits it, {hits}", {"stage.best_score": hits})
    does("stops the project", {"stage.running": False})
    while not session.press_help():
        session.run()
