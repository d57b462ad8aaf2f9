"""Running operations by name. Every primitive operation of every model goes through ``Run.__call__``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from txviz import ops
from txviz.errors import TxvizError
from txviz.ops import Array, Op
from txviz.trace import names
from txviz.trace.editor import Editor
from txviz.trace.names import matches
from txviz.trace.overrides import Override, overridden
from txviz.trace.reuse import EarlierRun
from txviz.trace.site import SEPARATOR, Site
from txviz.trace.step import NO_LABELS, Labels, Parameter, Printed, Step

if TYPE_CHECKING:
    from txviz.trace.trace import Trace


class Run:
    """One run of a model: its parameters, where in the model it is now, and the steps so far.

    With ``record=False`` the same code runs and nothing is kept. ``overrides`` replaces named steps: by an array, or by
    a function of the computed value. ``editor`` makes changes that were read from text. What comes out as in a trace
    that is ``known`` is taken from there. ``notes`` has a sentence for a step that is special in this model, ``prints``
    what a guide prints for it. ``watch`` is called with each recorded step, to show progress or, by raising, to stop.
    """

    def __init__(
        self,
        parameters: Mapping[str, Array],
        *,
        dtype: str = "float64",
        record: bool = True,
        overrides: Mapping[str, Override] | None = None,
        editor: Editor | None = None,
        known: Trace | None = None,
        notes: Mapping[str, str] | None = None,
        prints: Mapping[str, tuple[Printed, ...]] | None = None,
        watch: Callable[[Step], object] | None = None,
    ) -> None:
        self.parameters = parameters
        self.dtype = dtype
        self.steps: list[Step] = []
        self.details: dict[str, Any] = {}
        """Whatever else is worth telling about the run, as JSON can hold it; it goes into ``trace.about``."""

        self.about: dict[str, Any] = {}
        """What is run, once that is known: every step refers to it."""

        self._record = record
        self._overrides = overrides or {}
        self._editor = editor
        self._named_changes = {*self._overrides, *(editor.names if editor is not None else ())}
        self._globs = editor.globs if editor is not None else []
        self._notes = notes or {}
        self._prints = prints or {}
        self._watch = watch
        self._place = _moved(Site())
        self._found: dict[str, Parameter] = {}
        self._earlier: EarlierRun | None = None
        if known is not None:
            self._earlier = EarlierRun(known, self._notes, self._prints, self._changed_among(known.by_name))
            self._found = self._earlier.parameters(parameters)

    def __call__(
        self,
        op: Op,
        leaf: str | Site,
        *sources: Step | Parameter,
        axes: str,
        labels: Labels = NO_LABELS,
        like: Step | None = None,
        **params: Any,
    ) -> Step:
        """Computes ``op`` on the sources and calls the result ``leaf``, at the place where the run is now.

        ``axes="head query:token feature"`` says what the last axes mean; "query" has the labels that an input has on
        its "token" axis. New labels come in ``labels``, by axis; ``like`` lends those of a step that is not read.
        A whole site in place of a leaf says where it stands by itself.
        """
        if self._earlier is not None:
            old = self._earlier.step(self._name(leaf), op, sources, params, axes, labels, like)
            if old is not None:
                return self._add(old)
        try:
            value = op.compute(*[source.value for source in sources], **params)
        except (TxvizError, ArithmeticError, ValueError, IndexError) as error:
            raise TxvizError(f"{self._name(leaf)}: {_shapes(op, sources)}: {error}") from error
        return self._keep(leaf, op, sources, params, value, axes, labels, like)

    def given(
        self, leaf: str | Site, value: Array, axes: str, labels: Labels = NO_LABELS, like: Step | None = None
    ) -> Step:
        """A step that is not computed: the input."""
        return self._keep(leaf, ops.given, (), {}, np.array(value), axes, labels, like)

    def _changed_among(self, names: Iterable[str]) -> Collection[str]:
        return set(filter(self._is_changed, names)) if self._globs else self._named_changes

    def _is_changed(self, name: str) -> bool:
        return name in self._named_changes or (bool(self._globs) and any(matches(glob, name) for glob in self._globs))

    def _name(self, leaf: str | Site) -> str:
        if not isinstance(leaf, str):
            return leaf.name
        if SEPARATOR in leaf:
            raise ValueError(f"{leaf} has a dot; where a step stands is said by run.at(…)")
        return self._place.prefix + leaf

    def _keep(
        self,
        leaf: str | Site,
        op: Op,
        sources: tuple[Step | Parameter, ...],
        params: dict[str, Any],
        value: Array,
        axes: str,
        labels: Labels,
        like: Step | None,
    ) -> Step:
        name, site = self._name(leaf), _here(self._place.site, leaf) if isinstance(leaf, str) else leaf
        changed = self._is_changed(name)
        read, lent = (sources, like) if self._record or changed else ((), None)
        note, prints = self._notes.get(name, ""), self._prints.get(name, ())
        step = Step(name, site, op, read, params, value, axes, labels, lent, note, prints, about=self.about)
        if changed:
            step = self._changed_by_hand(step)
        step.value.flags.writeable = False
        if self._earlier is not None and (changed or op is ops.given):
            step = self._earlier.same(step)
        return self._add(step)

    def _add(self, step: Step) -> Step:
        if self._editor is not None:
            self._editor.seen[step.name] = step.value
        if self._record:
            self.steps.append(step)
            if self._watch:
                self._watch(step)
        return step

    def _changed_by_hand(self, step: Step) -> Step:
        """An override leaves nothing of what was computed; an edit changes cells of it."""
        if step.name in self._overrides:
            step = overridden(step, self._overrides[step.name])
        if self._editor is not None and self._editor.changes(step.name):
            step = self._editor.edited(step)
        return step

    def again(self, parameters: Mapping[str, Array]) -> Run:
        """A run of the same model with some other parameters, of which nothing is kept. What was edited stays as it is:
        it was put in by hand, and does not depend on them."""
        editor = self._editor
        edited = {step.name: step.value for step in self.steps if editor is not None and editor.changes(step.name)}
        overrides = {**self._overrides, **edited}
        return Run({**self.parameters, **parameters}, dtype=self.dtype, record=False, overrides=overrides)

    @contextmanager
    def at(self, **fields: Any) -> Iterator[None]:
        """Inside, these fields of the steps' sites are so: ``run.at(part="encoder", layer=0)``."""
        before, self._place = self._place, _moved(self._place.site, **fields)
        try:
            yield
        finally:
            self._place = before

    def inside(self, word: str) -> AbstractContextManager[None]:
        """A part of the model, or a block of the part that is running: embed and mask stand in either."""
        return self.at(part=word) if self.block.part is None else self.at(block=word)

    @property
    def block(self) -> Site:
        """Which block of the model is running, whatever the time step, beam or sentence."""
        return self._place.block

    def parameter(self, leaf: str) -> Parameter:
        """The parameter of this name in the block that is running."""
        name = self._place.block_prefix + leaf
        if name not in self._found:
            if name not in self.parameters:
                raise TxvizError(f"the model has no parameter {name}{names.suggestion(name, self.parameters)}")
            return self.learned(name, _here(self.block, leaf))
        return self._found[name]

    def learned(self, name: str, site: Site) -> Parameter:
        """The parameter of this name, which belongs to this place: one object for all that read it."""
        if name not in self._found:
            value = self.parameters[name]
            edited = self._editor.parameter_places.get(name, ()) if self._editor is not None else ()
            old = self._earlier.parameter(name, value, edited) if self._earlier is not None else None
            self._found[name] = old or Parameter(name, value, site, edited)
        return self._found[name]

    def present(self, *leaves: str) -> list[Parameter]:
        """Those of these parameters that the model has, in this order: a bias may be left out."""
        return [self.parameter(leaf) for leaf in leaves if self._place.block_prefix + leaf in self.parameters]


def _here(place: Site, leaf: str) -> Site:
    """A leaf at a place; much quicker than ``place._replace(leaf=leaf)``, and every step needs one."""
    return tuple.__new__(Site, (leaf, *place[1:]))


class _Place(NamedTuple):
    """Where a run is now: what the sites and names of its steps and of its parameters begin with."""

    site: Site
    prefix: str
    block: Site
    block_prefix: str


@lru_cache(maxsize=2000)
def _moved(site: Site, **fields: Any) -> _Place:
    """Kept, since every run of a model goes the same way."""
    here = site._replace(**fields)
    block = Site("", here.part, here.layer, here.block)
    prefix, block_prefix = (each.name + SEPARATOR if each.path else "" for each in (here, block))
    return _Place(here, prefix, block, block_prefix)


def _shapes(op: Op, sources: tuple[Step | Parameter, ...]) -> str:
    """``matmul of 5×3 and 4×3``: what an operation was asked to do."""
    shapes = ["×".join(map(str, source.value.shape)) or "one number" for source in sources]
    return f"{op.name} of {' and '.join(shapes)}" if shapes else op.name
