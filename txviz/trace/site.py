"""Where a step stands in a run, as data; its dotted name is how that is written.

    encoder.0.attention.scores                   part encoder, layer 0, block attention, leaf scores
    time.3.decoder.1.cross_attention.weights     the same inside decoding time step 3
    backward.encoder.norm.from.head.logits       what head.logits sends back to encoder.norm
    update.head.weight.mean                      Adam's running mean for the parameter head.weight

Only ``read_name`` takes a name apart (trace files may be older than sites); everybody else reads the fields.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

SEPARATOR = "."

_SENTENCES = ("first", "second")
_WRITTEN_PASSES = ("backward", "update", "after")
_BLOCKS = ("attention", "self_attention", "cross_attention", "ffn", "embed", "mask", "distances")
_ROLES = {"backward": ("everywhere",), "update": ("length", "clipped", "mean", "square")}


class Site(NamedTuple):
    """None stands where something does not apply. A parameter has a site, too: its leaf is "query.weight"."""

    leaf: str = ""
    """What it is called inside its block."""

    part: str | None = None
    """encoder, decoder, embed, head, pool, …"""

    layer: int | None = None
    block: str | None = None
    """attention, self_attention, cross_attention, ffn; inside a decoder also its own embed, mask and distances."""

    time: int | None = None
    """The time step of decoding, from 1 on."""

    beam: int | None = None
    sentence: str | None = None
    """first or second, where a model reads two."""

    pass_: str = "forward"
    """forward, loss, backward, update or after."""

    reader: Site | None = None
    """In a backward pass: whose share of the gradient it is, where several steps read the same one."""

    again: int | None = None
    """Which share, where one step reads the same one twice."""

    role: str | None = None
    """A gradient that is yet to be summed ("everywhere"), or what an update makes on its way."""

    @property
    def path(self) -> tuple[str | int, ...]:
        """The levels from the outside in; a number counts the word before it."""
        levels = (
            self.pass_ if self.pass_ in _WRITTEN_PASSES else None,
            self.sentence,
            *(() if self.time is None else ("time", self.time)),
            *(() if self.beam is None else ("beam", self.beam)),
            self.part,
            self.layer,
            self.block,
            *self.leaf.split(SEPARATOR),
            *(() if self.reader is None else ("from", *self.reader.path)),
            self.again,
            self.role,
        )
        return tuple(level for level in levels if level is not None and level != "")

    @property
    def name(self) -> str:
        """
        >>> Site("weights", "decoder", 1, "cross_attention", time=3).name
        'time.3.decoder.1.cross_attention.weights'
        """
        return _written(self)

    @property
    def labels(self) -> tuple[str, ...]:
        """The levels as a person reads them: "encoder 0", "self-attention", "scores"."""
        words: list[str] = []
        for level in self.path:
            if isinstance(level, int) and words:
                words[-1] += f" {level}"
            else:
                words.append(str(level).replace("_attention", "-attention").replace("_", " "))
        return tuple(words)

    @property
    def title(self) -> str:
        """
        >>> Site("scores", "encoder", 0, "self_attention").title
        'encoder 0 · self-attention · scores'
        """
        return " · ".join(self.labels)

    @property
    def owner(self) -> Site:
        """In a backward pass or an update: the step or parameter that it is about. Elsewhere the site itself."""
        if self.pass_ not in _ROLES:
            return self
        before = "loss" if self.part == "loss" else "forward"
        return self._replace(pass_=before, reader=None, again=None, role=None)

    def as_json(self) -> dict[str, Any]:
        """The fields that say something."""
        found = {**self._asdict(), "reader": self.reader and self.reader.as_json()}
        return {name: value for name, value in found.items() if value is not None and value != "forward"}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Site:
        """What ``as_json`` gave."""
        reader = content.get("reader")
        return cls(**{**content, "reader": cls.from_json(reader) if reader else None})


@lru_cache(maxsize=4096)
def _written(site: Site) -> str:
    """Kept, since every step of training has the same sites."""
    return SEPARATOR.join(map(str, site.path))


def read_name(name: str) -> Site:
    """The site that is written so: ``read_name(site.name) == site`` for every step of a shipped model."""
    own, _, sender = name.partition(".from.")
    words, found = own.split(SEPARATOR), {}
    if words[0] in _WRITTEN_PASSES and len(words) > 1:
        found["pass_"] = words.pop(0)
    ending = sender.split(SEPARATOR) if sender else words
    if ending[-1] in _ROLES.get(found.get("pass_", ""), ()) and (len(ending) > 1 or ending == ["length"]):
        found["role"] = ending.pop()
    site = Site(**{**_read_place(words), **found})
    if not sender:
        return site
    again = int(ending.pop()) if len(ending) > 1 and ending[-1].isdecimal() else None
    return site._replace(reader=read_name(SEPARATOR.join(ending)), again=again)


def _read_place(words: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if len(words) > 1 and words[0] in _SENTENCES:
        found["sentence"] = words.pop(0)
    for counted in ("time", "beam"):
        if len(words) > 2 and words[0] == counted and words[1].isdecimal():
            found[counted], words = int(words[1]), words[2:]
    if len(words) > 1:
        found["part"] = words.pop(0)
    if len(words) > 1 and words[0].isdecimal():
        found["layer"] = int(words.pop(0))
    if len(words) > 1 and words[0] in _BLOCKS:
        found["block"] = words.pop(0)
    pass_ = {"pass_": "loss"} if found.get("part") == "loss" else {}
    return {**found, **pass_, "leaf": SEPARATOR.join(words)}
