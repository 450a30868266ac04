"""The table of docs/sizing.md, computed from its own inputs, each of which must stand in docs/figures.md as it is quoted."""

import re

PUPILS = (30, 300, 1_000, 10_000, 100_000)


def inputs(root):
    """The tables of inputs: name to number. A measured one is quoted from docs/figures.md."""
    text = (root / "docs/sizing.md").read_text(encoding="utf-8")
    figures = (root / "docs/figures.md").read_text(encoding="utf-8")
    found = {}
    for line in text.splitlines():
        cells = re.match(r"\| `([a-z_]+)` \| ([\d.,]+) \|.*?(?:\| “(.*)” \|)?$", line)
        if cells:
            found[cells[1]] = float(cells[2].replace(",", ""))
            # Within a table a bar would end the cell.
            if cells[3] and cells[3].replace("&#124;", "|") not in figures:
                raise SystemExit(f"error: docs/figures.md does not say “{cells[3]}” any more; correct `{cells[1]}` in docs/sizing.md")
    return found


def size(number):
    """Bytes for people: in MB below a GB, rounded up."""
    return f"{number / 1e9:,.1f} GB" if number >= 1e9 else f"{max(number / 1e6, 1):,.0f} MB"


def cores(milliseconds, given):
    """Cores for so many ms of CPU a second, rounded up to hundredths."""
    return f"{-(-milliseconds / 10 // given['busy']) / 100:,.2f}"


def table(root):
    given = inputs(root)
    rows = [
        "| pupils | turns a day | records in Redis | Redis' memory limit | Redis' disk | or one file | turns a second, peak "
        "| cores, five services | cores, Redis | model slots |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for pupils in PUPILS:
        turns = pupils * given["turns"]
        school_days = 5 / 7
        logged = turns * given["log_days"] * school_days
        kept = turns * given["thread_days"] * school_days
        threads = kept / given["thread_turns"]
        records = pupils * given["student"] + kept * given["turn"] + threads * given["thread"] + logged * given["log"]
        peak = turns / (given["hours"] * 3600) * given["peak"]
        rows.append(
            f"| {pupils:,} | {turns:,.0f} | {size(records)} | {size(2 * records)} | {size(3 * records)} "
            f"| {size(kept * given['call'])} | {peak:,.2f} | {cores(peak * given['cpu'], given)} "
            f"| {cores(peak * given['redis_cpu'], given)} | {max(2, -(-peak * given['model'] // given['busy'])):,.0f} |"
        )
    return "\n".join(rows)
