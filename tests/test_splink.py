"""The Splink tutorial's notebook is the tutorial, and runs from top to bottom.

(The tutorial itself, docs/splink.md, runs with the other documents.)
"""

import contextlib
import io
import json
import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def cells():
    notebook = json.loads((DOCS / "splink.ipynb").read_text())
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_is_the_tutorial():
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "splink.md").read_text(), re.S)
    code = [
        "\n".join(line[4:] for line in block.splitlines() if line[:4] in (">>> ", "... "))
        for block in blocks
    ]
    assert cells() == code


def test_the_notebook_runs():
    namespace, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in cells():
            exec(compile(cell, "splink.ipynb", "exec"), namespace)
    assert "500 nodes to label out of 5000" in printed.getvalue()
    assert namespace["cert"].value("precision") <= 1.0
    assert namespace["cert"].value("recall") <= 0.9706
