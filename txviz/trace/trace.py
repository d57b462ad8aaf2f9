"""The record of a run: an immutable list of steps, with no model and no window in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from txviz.errors import TxvizError
from txviz.ops import Array
from txviz.trace import names
from txviz.trace.machine import this_machine
from txviz.trace.step import Parameter, Step

if TYPE_CHECKING:
    from pathlib import Path

    from txviz.trace.diff import Change
    from txviz.trace.odd_numbers import Odd
    from txviz.trace.outline import Node
    from txviz.trace.verify import Mismatch


class Trace(Sequence[Step]):
    """The steps of one run, in the order of the computation, by place or by name."""

    def __init__(self, steps: Sequence[Step], about: Mapping[str, Any], output: str | Step, origin: str = "") -> None:
        self.steps = tuple(steps)
        self.about = about
        """What was run: ``model``, ``input`` and ``options``."""

        self.origin = origin
        """What the last bits of a trace from a file depend on (see ``machine``); nothing for one computed here."""

        self._output = output
        self.by_name = {step.name: step for step in self.steps}
        if len(self.by_name) != len(self.steps):
            raise TxvizError("two steps of the trace have the same name; every name must be its own")

    @property
    def output(self) -> str | Array:
        """What the model says: a text, a class, or the array of an embedding."""
        return self._output if isinstance(self._output, str) else self._output.value

    @property
    def output_step(self) -> Step | None:
        """The step whose value is the output, where the output is an array."""
        return None if isinstance(self._output, str) else self._output

    @property
    def parameters(self) -> dict[str, Array]:
        """Every parameter that a step read."""
        return {name: parameter.value for name, parameter in self.learned.items()}

    @cached_property
    def learned(self) -> dict[str, Parameter]:
        """The same, each with the place in the model that it belongs to."""
        sources = (source for step in self.steps for source in step.sources)
        return {source.name: source for source in sources if isinstance(source, Parameter)}

    @cached_property
    def edited(self) -> dict[str, Step | Parameter]:
        """The steps and parameters that were changed by hand; each has its ``edited_cells``."""
        found: tuple[Step | Parameter, ...] = (*self.learned.values(), *self.steps)
        return {each.name: each for each in found if each.edited}

    @cached_property
    def edited_text(self) -> str:
        """``edited: pool.cls=0; encoder.norm[0]*=2``, for whoever shows the run; nothing where it was left alone.

        What the model itself has to say of such a run goes before it: that it is built otherwise than its guide.
        """
        said = [self.about.get(key) or [] for key in ("edits", "overrides")]
        texts = [text for texts in said if isinstance(texts, list) for text in texts]  # a file may say nonsense
        told = "; ".join(" ".join(str(text).split()) for text in texts or self.edited)
        note = self.about.get("note")
        return " · ".join(filter(None, (note if isinstance(note, str) else "", f"edited: {told}" if told else "")))

    @cached_property
    def outline(self) -> Node:
        """The steps as a tree of passes, time steps, parts, layers and blocks."""
        from txviz.trace.outline import outline  # few ask for it

        title = self.about.get("title") or self.about.get("model", "a trace")
        return outline(self.steps, str(title), self.about)

    @cached_property
    def key_steps(self) -> tuple[Step, ...]:
        """About a dozen steps that tell the story of the run."""
        from txviz.trace.key_steps import key_steps

        return key_steps(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    @overload
    def __getitem__(self, key: int | str) -> Step: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[Step, ...]: ...

    def __getitem__(self, key: int | str | slice) -> Step | tuple[Step, ...]:
        if not isinstance(key, str):
            return self.steps[key]
        if key not in self.by_name:
            raise TxvizError(f'no step is called "{key}"{names.suggestion(key, self.by_name)}')
        return self.by_name[key]

    def __contains__(self, key: object) -> bool:
        return key in self.by_name if isinstance(key, str) else key in self.steps

    def get(self, name: str) -> Step | None:
        """The step of this name, if there is one."""
        return self.by_name.get(name)

    def find(self, glob: str) -> list[Step]:
        """The steps whose name matches, in order: ``trace.find("*.weights")``."""
        return [self.by_name[name] for name in names.matching(glob, self.by_name)]

    def verify(self) -> list[Mismatch]:
        """Replays every step from its recorded inputs; what comes out differently, first first."""
        from txviz.trace.verify import verify  # this and what follows is imported by those who ask for it

        return verify(self.steps, exact=self.exact)

    @cached_property
    def not_finite(self) -> Odd | None:
        """The first NaN or infinite number that no mask made, which is found sooner than all that is odd."""
        from txviz.trace.odd_numbers import not_finite

        return not_finite(self.steps)

    @cached_property
    def odd_numbers(self) -> list[Odd]:
        """NaN, ∞, −∞ that no mask made, and denormal numbers: for each kind the first step that has one."""
        from txviz.trace.odd_numbers import odd_numbers

        return odd_numbers(self.steps)

    @cached_property
    def replayed(self) -> int:
        """How many of its steps replay to what was recorded; counted once."""
        return len(self) - len(self.verify())

    @property
    def exact(self) -> bool:
        """Whether a replay must agree bit for bit: not where other threads, another processor or
        weights that lay in memory otherwise, as a checkpoint's do, computed the trace."""
        return not self.origin or self.origin == this_machine()

    def diff(self, other: Trace) -> list[Change]:
        """Which steps differ between this trace and the other, and by how much."""
        from txviz.trace.diff import diff

        return diff(self, other)

    def save(
        self, path: str | Path, *, compact: bool = False, watch: Callable[[int, int], object] | None = None
    ) -> None:
        """Writes the whole trace to a safetensors file; the file is complete or not there at all.

        A ``compact`` file has no weights and only what can't be computed again: whoever opens it needs the same model.
        ``watch`` is called with how much is written, and of how much; it can stop that by raising.
        """
        from pathlib import Path

        from txviz.trace import store  # which knows Trace, and imports safetensors

        store.save(self, Path(path), watch, compact)

    def __repr__(self) -> str:
        return f"<trace of {self.about.get('model', '?')}: {len(self)} steps>"
