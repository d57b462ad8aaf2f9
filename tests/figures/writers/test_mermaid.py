"""Maps as Mermaid: read back line by line, and compared with what the steps read."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pytest

from tests.figures import shipped
from tests.figures.levels.test_map import deep
from txviz.figures.export import Export, content
from txviz.figures.levels.diagram import diagram, moment
from txviz.figures.writers.mermaid import escaped
from txviz.trace import Parameter, Run, Step, Trace
from txviz.trace.outline import Node

BOX = re.compile(r'(\w+)(\(\["|\(\("|\[\["|\[\("|\("|\[")([^"]*)("\]\)|"\)\)|"\]\]|"\)\]|"\)|"\])')
CLOSING = {'(["': '"])', '(("': '"))', '[["': '"]]', '[("': '")]', '("': '")', '["': '"]'}


class Chart(NamedTuple):
    title: str
    boxes: dict[str, str]
    """The label by the id."""

    layers: dict[str, list[str]]
    """The ids in each subgraph, by its label."""

    arrows: list[tuple[str, str]]


def read(trace: Trace, node: Node) -> Chart:
    """Every line must be one that is known."""
    first, title, second, head, *lines = content(Export(trace, [node], "mmd")).decode().splitlines()
    assert (first, second, head) == ("---", "---", "flowchart LR")
    chart, layer = Chart(title.removeprefix("title: "), {}, {}, []), ""
    for line in (each.strip() for each in lines):
        arrow, box = re.fullmatch(r"(\w+) --> (\w+)", line), BOX.fullmatch(line)
        if opened := re.fullmatch(r'subgraph \w+\["([^"]+)"\]', line):
            layer = opened[1]
            assert layer not in chart.layers
            chart.layers[layer] = []
        elif line == "end":
            layer = ""
        elif arrow:
            chart.arrows.append((arrow[1], arrow[2]))
        else:
            assert box, line
            assert box[4] == CLOSING[box[2]], line
            chart.boxes[box[1]] = box[3]
            if layer:
                chart.layers[layer].append(box[1])
    return chart


@pytest.mark.parametrize("kind", shipped.KINDS)
def test_every_box_of_the_map_is_there_and_every_arrow_is_a_read(kind: str) -> None:
    trace = shipped.trace(kind)
    units = diagram(trace, trace.outline, moment(trace.outline, None)).units
    chart = read(trace, trace.outline)
    assert len(chart.boxes) == len(units)
    assert len(set(chart.arrows)) == len(chart.arrows)
    by_id = dict(zip(chart.boxes, units, strict=True))
    for source, target in chart.arrows:
        assert by_id[source].names & by_id[target].reads.keys()
    owned = {name for unit in units for name in unit.names}
    reading = [by_id[target] for _, target in chart.arrows]
    assert all(unit in reading for unit in units if owned & unit.reads.keys())


def test_what_a_box_says_and_how_it_looks() -> None:
    trace = shipped.trace("sentence-guide")
    text = content(Export(trace, [trace.outline], "mmd")).decode()
    for line in (
        'title: "Guide: a sentence as a vector"',
        'box0(["tokens<br/>5"])',
        'box1[["embedding<br/>5×3"]]',
        'subgraph layer_encoder_0["encoder · layer 0"]',
        '(("+"))',
    ):
        assert line in text


def test_twelve_layers_are_twelve_subgraphs() -> None:
    trace = deep(12, "pre")
    chart = read(trace, trace.outline)
    assert list(chart.layers) == [f"encoder · layer {i}" for i in range(12)]
    assert {len(inside) for inside in chart.layers.values()} == {6}
    assert len(chart.arrows) < 500, "more are not drawn where nothing is configured"


def test_a_block_has_its_steps() -> None:
    trace = shipped.trace("sentence-guide")
    chart = read(trace, trace.outline.find("encoder.0.attention"))
    assert any(label.startswith("scores") for label in chart.boxes.values())
    assert not chart.layers
    assert chart.title == '"encoder · layer 0 · attention"'


def test_a_step_stands_behind_what_it_read() -> None:
    trace = shipped.trace("digits")
    step = trace["encoder.0.attention.query"]
    text = content(Export(trace, [step], "mmd")).decode()
    assert 'step["encoder 0 · attention · query' in text
    lines = [line for line in text.splitlines() if line.endswith(" --> step")]
    for line, source in zip(lines, step.sources, strict=True):
        named = source.title if isinstance(source, Step) else escaped(source.name)
        assert f'"{named}<br/>' in line
        assert ("[(" in line) == isinstance(source, Parameter)


def test_names_from_elsewhere_are_letters_and_nothing_more() -> None:
    run = Run({})
    run.given("tokens", np.array([1, 2]), axes="token")
    odd = 'a "model" <b>&amp;</b> `x` #35; %%{init}%%\n--> end'
    trace = Trace(run.steps, {"model": odd}, run.steps[-1])
    text = content(Export(trace, [trace.outline], "mmd")).decode()
    assert text.splitlines()[1] == 'title: "a \\"model\\" <b>&amp;</b> `x` #35; %%{init}%% --> end"'
    assert re.fullmatch(r"([\w\s.,:+()/-]|#\d+;)*", escaped(odd))
    assert escaped('"<') == "#34;#60;"
