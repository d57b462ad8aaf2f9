"""What the four guides claim, and where it is seen: why pages, pictures, the words of a step, ready-made comparisons.

A theme is a topic of the guides. Each row says where to look, and what must stand there. The guides' numbers are the
business of ``test_audit`` and of the pictures' own tests; here a claim must not silently lose its place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import txviz
from tests.figures.levels.checks import all_marks, drawn, words
from txviz import Trace
from txviz.analysis.cost import Design
from txviz.figures.calculator import calculator
from txviz.figures.levels.picture import NodeScene
from txviz.figures.levels.stage_table import draw_table
from txviz.figures.marks import Text
from txviz.figures.pair import Pair
from txviz.figures.patches import place_of_pixel
from txviz.figures.sentences import of_patches, of_row, sentences
from txviz.figures.style import Style
from txviz.models import find
from txviz.models.comparisons import comparisons, run_both

RUNS: dict[str, tuple[str, str | None, dict[str, Any]]] = {
    "words": ("sentence-guide", None, {}),
    "image": ("vit-guide-2x2", None, {}),
    "3x2": ("vit-guide-3x2", None, {}),
    "deep": ("vit-guide-2x2", None, {"layers": 4, "block_order": "post-norm", "positions": "2d", "heads": 2}),
    "twelve layers": ("vit-guide-2x2", None, {"layers": 12}),
    "with the guide's [CLS]": ("vit-guide-2x2", None, {"edits": ["pool.cls=guide"]}),
    "digits": ("digits", None, {}),
    "mask": ("masked-attention-guide", None, {}),
    "sentences": ("sentence", None, {}),
    "cat and dog": ("sentence", "a cat | a dog", {}),
    "cat and car": ("sentence", "a cat | a car", {}),
    "it": ("translator", "I love you very much", {}),
    "training": ("translator", "I love you very much", {"target": "ti amo molto"}),
    "padded": ("translator", "I love you very much", {"target": "ti amo molto", "pad": 12}),
    "beam": ("translator", "<fr> He did not help me", {"strategy": "beam"}),
    "writer": ("writer", None, {}),
}


@cache
def run(name: str) -> Trace:
    model, source, options = RUNS[name]
    return txviz.trace(model, find(model).example if source is None else source, **options)


class Place(NamedTuple):
    """Where to look, in words, and how to read what is shown there."""

    name: str
    read: Callable[[], str]


def why(of: str, node: str = "") -> Place:
    """The page that W opens at a step, a block or the run."""
    return Place(f"why {of} {node}", lambda: str(run(of).outline.find(node).why))


def picture(of: str, node: str, kind: str) -> Place:
    def read() -> str:
        trace = run(of)
        return " ".join(words(drawn(trace, trace.outline.find(node), kind=kind)))

    return Place(f"{kind} of {of} {node}", read)


def step(of: str, name: str, row: int | None = None) -> Place:
    """The words below a step; with the row of a token that is followed."""

    def read() -> str:
        found = run(of)[name]
        chosen = [] if row is None else of_row(found, (*(0,) * (found.value.ndim - 2), row, 0))
        return " ".join([*chosen, *sentences(found), *of_patches(run(of), found)])

    return Place(f"step {of} {name} {'' if row is None else row}", read)


def pointed(of: str, name: str, row: int, column: int) -> Place:
    return Place(f"pointer on {name}", lambda: place_of_pixel(run(of), run(of)[name], (row, column)))


def cost(image: int = 224, colours: int = 3) -> Place:
    """The calculator (Ctrl+K)."""

    def read() -> str:
        marks = all_marks(calculator(Design(image=image, colours=colours), 1280, 720).marks)
        return " ".join(mark.text for mark in marks if isinstance(mark, Text))

    return Place(f"calculator {image}", read)


def ready(name: str) -> Place:
    """A ready-made comparison (the arrow beside Compare): its title, what it says, and both answers."""

    def read() -> str:
        comparison = comparisons()[name]
        a, b = run_both(comparison)
        pair, scene = Pair(a, b), NodeScene(b, b.outline, (), None, 1280, 720, Style())
        table = words(draw_table(scene, pair)) if comparison.table else []
        return " ".join([comparison.title, comparison.about, str(a.output), str(b.output), *table])

    return Place(f"comparison {name}", read)


def worked(of: str, name: str, *index: int) -> Place:
    """The arithmetic of a cell."""
    return Place(f"cell {name}{list(index)}", lambda: run(of)[name].explain(index).text)


Claim = tuple[Place, tuple[str, ...]]

THEMES: dict[str, list[Claim]] = {
    "the whole as a diagram": [
        (picture("image", "", "map"), ("image", "patches", "embedding", "attention", "feed-forward", "head", "bird")),
        (picture("words", "", "map"), ("tokens", "embedding", "attention", "feed-forward", "norm 2", "pool")),
        (picture("it", "", "map"), ("encoder · layer 0", "decoder · layer 0", "cross-attention")),
        (picture("deep", "encoder.0", "map"), ("attention", "norm 1", "feed-forward", "norm 2", "+")),
        (picture("image", "encoder.0.attention", "map"), ("query", "key", "value", "scores", "weights", "context")),
    ],
    "what a vision transformer is": [
        (why("image"), ("cut into patches, its words", "position is added", "like those of a text transformer")),
        (why("image"), ("9 patches of 2×2, 4 features, 1 layer", "ViT-Base: 224×224×3, 196 of 16×16, 768, 12")),
        (why("image"), ("many benchmarks", "costly, O(N²d)", "slow to train", "patch size", "data-hungry", "nearness")),
        (why("image", "encoder"), ("Early layers", "edges", "late ones the whole", "12 layers and 86 million")),
        (why("image", "encoder"), ("No hand-made features",)),
        (why("image", "encoder"), ("no hierarchy of pooling layers", "fine detail is harder for it")),
    ],
    "patches": [
        (why("image", "image"), ("Pixels as tokens would be far too many",)),
        (why("image", "patches"), ("what words are to a sentence", "keeps together", "larger image only gives more")),
        (why("image", "patches"), ("left to right and top to bottom", "Flattened, since a transformer reads vectors")),
        (why("image", "patches"), ("H·W/P² patches of P²·C", "48×48 makes 9", "256×256", "14×14 = 196", "768")),
        (why("image", "patches"), ("Smaller patches show more and cost more",)),
        (picture("image", "embed", "embedding"), ("A (0, 0)", "E (1, 1)", "I (2, 2)", "row 1, col 1")),
        (pointed("image", "image", 2, 3), ("patch E, row 1, column 1, middle centre",)),
        (step("image", "patches"), ("patch E the darkest", "most contrast")),
        (step("image", "patches"), ("E has the darkest pixel and H the highest contrast. I has one as dark",)),
        (step("image", "patches", 3), ("middle left, pixels (2, 0) to (3, 1)",)),
        (step("image", "patches", 3), ("brighter at the top (mean 0.85) than at the bottom",)),
        (step("3x2", "patches", 2), ("Patch C",)),
    ],
    "from patches to vectors": [
        (why("image", "embed.projection"), ("learned features", "brightness", "edge", "texture", "768 become 768")),
        (step("image", "embed.projection", 3), ("highest in feature 1", "prints 0.21, 0.33, 0.21, 0.11")),
        (step("image", "embed.projection"), ("brightness, horizontal patterns, vertical patterns or edges",)),
        (why("image", "embed.tokens"), ("It is learned", "zeros or small random numbers", "196 and [CLS], 197")),
        (why("image", "embed.positions"), ("left, right, above or below", "1D:", "2D:", "Learned:", "neighbours")),
        (why("deep", "embed.grid"), ("(0,0), (0,1), (1,0), (1,1)",)),
        (picture("deep", "embed", "positions"), ("waves that nobody had to learn",)),
    ],
    "self-attention": [
        (why("image", "encoder.0.attention"), ("softmax(QKᵀ/√d_k)V", "near and far", "computed at once", "38,809")),
        (why("words", "encoder.0.attention"), ("what “it” stands for", "O(N²d)")),
        (why("words", "encoder.0.attention"), ("sense of a single message", "the word at hand asks", "gets a context")),
        (why("image", "encoder.0.attention.scores"), ("patch E, which has neighbours on all sides",)),
        (
            step("image", "encoder.0.attention.scores", 5),
            ("best with patch H", "patch D", "patch G", "least with [CLS]"),
        ),
        (step("image", "encoder.0.attention.context", 5), ("(0.11, 0.23, 0.17, 0.01) as its own value",)),
        (step("image", "encoder.0.attention.context", 8), ("its length goes from 0.76 to 0.496",)),
        (step("image", "encoder.0.attention.context"), ("The values go from 0 to 0.48, their mixes from",)),
        (step("image", "encoder.0.attention.context", 0), ("[CLS] had (0.1, 0, 0, 0)",)),
        (step("image", "encoder.0.attention.merged", 4), ("prints 0.28, 0.35, 0.31, 0.14 here",)),
        (step("digits", "encoder.0.attention.weights"), ("to one that touches it", "farther away")),
        (step("image", "encoder.0.attention.weights"), ("where nearness hardly counts", "gains most")),
        (why("it", "encoder.0.attention.scaled"), ("√64 = 8", "gradient")),
        (picture("image", "", "seeing"), ("Whom [CLS] looks at", "through all layers")),
    ],
    "heads": [
        (why("it", "encoder.0.attention.query"), ("d_k = d_v = d_model / h", "8 heads of 64, 8 × 64 = 512")),
        (
            why("digits", "encoder.0.attention.query_projection"),
            ("each head has its own 4 columns of W_Q, W_K and W_V",),
        ),
        (why("digits", "encoder.0.attention.query_projection"), ("ViT-Base has 12 such heads",)),
        (picture("digits", "encoder.0.attention", "attention-block"), ("head 0", "head 3", "4 features of its own")),
    ],
    "layers": [
        (why("deep", "encoder.0.norm_1"), ("after the sum", "post-norm")),
        (why("image", "encoder.0"), ("The paper adds and normalises twice",)),
        (why("image", "encoder.0.ffn"), ("expand, activate, contract", "512 → 2048 → 512")),
        (picture("deep", "", "lens"), ("after the embedding", "after layer 0", "after layer 3")),
        (step("twelve layers", "pool.cls"), ("[1.5, −0.2, 2.1, 0.8] after layer 6",)),
        (picture("twelve layers", "", "map"), ("layer 0", "layer 5", "layer 11")),
        (picture("twelve layers", "", "lens"), ("layer 0", "layer 5", "layer 11")),
        (picture("image", "encoder.0", "layer"), ("changes [CLS] most",)),
        (step("image", "encoder.0.norm_2", 5), ("prints 0.12, 0.67, 0.91, −1.69 here",)),
    ],
    "the answer": [
        (why("image", "pool.cls"), ("It began empty", "ViT-Base has 12")),
        (picture("with the guide's [CLS]", "head", "head"), ("1.82", "−0.24", "3.19", "bird", "78 %")),
        (step("with the guide's [CLS]", "head.probabilities"), ("6.172", "24.29", "31.25", "78 % sure of “bird”")),
        (worked("with the guide's [CLS]", "head.logits", 2), ("2.3×0.3", "3.2×0.6", "3.19")),
        (picture("with the guide's [CLS]", "", "parts"), ("3.19", "feature 2 +1.92 feature 0 +0.69")),
        (
            picture("image", "", "parts"),
            ("most without patch H (−0.05), then patch D (−0.04)",),
        ),
        (step("image", "head.logits"), ("by the contrast in H and D", "a guess, and no number says so")),
        (step("image", "pool.cls"), ("[1.5, −0.2, 2.1, 0.8] after layer 6", "computes none of them")),
        (picture("digits", "", "parts"), ("of the tokens, patch A brings most",)),
        (why("image", "head"), ("transfer learning",)),
    ],
    "what it costs": [
        (
            picture("image", "", "cost"),
            ("ViT-Base (224×224)", "196", "197", "768", "86.6 M", "four times as many cells"),
        ),
        (picture("image", "", "cost"), ("attention of a layer H · T² 100 465,708",)),
        (
            cost(),
            ("14×14 patches of 16×16", "12 layers of 12 · 197² = 465,708", "86,567,656", "the square of the tokens"),
        ),
        (cost(), ("O(N² d): 196² · 768 = 29,503,488",)),
        (cost(image=48, colours=1), ("3×3 patches of 16×16",)),
        (cost(image=256), ("16×16 patches of 16×16", "patches N 256 (256 / 16)² = 16²")),
    ],
    "text and vision": [
        (ready("text-and-vision"), ("only what comes before and after it differs", "the same", "bird", "Positions")),
        (
            ready("text-and-vision"),
            ("9 patches of 4 pixels each and [CLS]", "translation, dialogue", "captions"),
        ),
        (why("words", "embed"), ("a text transformer and a vision transformer are alike",)),
        (why("sentences"), ("only the input differs, words here and patches there",)),
    ],
    "meaning": [
        (why("sentences"), ("one vector of fixed length", "“Cat” and “car”", "Search, recommendation and RAG")),
        (why("sentences", "similarity"), ("Retrieval for RAG", "however they are spelled")),
        (picture("sentences", "first.embed", "words"), ("nearest in the table, by their cosines",)),
        (why("words", "pool.mean"), ("stands for the whole input",)),
    ],
    "order": [
        (why("words", "embed.positions"), ("“The cat lies on the sofa”", "Sines and cosines")),
        (ready("order"), ("positions tell the two apart",)),
        (ready("order-without-positions"), ("the mean of them is the same",)),
        (picture("it", "embed", "positions"), ("waves over the first", "once in 6.3 tokens")),
    ],
    "cross-attention": [
        (why("it", "time.2.decoder.0.cross_attention"), ("The target asks, the source answers", "RAG", "dialogue")),
        (why("it", "time.2.decoder.0.cross_attention"), ("functions at hand", "words ask patches")),
        (
            why("it", "time.2.decoder.0.cross_attention.query_projection"),
            ("in RAG the question", "in a chatbot the request"),
        ),
        (why("it", "time.2.decoder.0.cross_attention.key_projection"), ("knowledge base",)),
        (
            picture("it", "time.2.decoder.0.cross_attention", "attention-block"),
            ("the source answers", "the target asks"),
        ),
    ],
    "the mask": [
        (why("mask"), ("must not see future words",)),
        (picture("mask", "decoder.0.self_attention", "mask"), ("YOUR", "LOVELY", "weights without the mask")),
    ],
    "training": [
        (
            picture("training", "", "training"),
            ("It all happens in one time step", "Training: 1 pass", "Inference: 4 passes"),
        ),
        (
            picture("training", "", "training"),
            ("shifted by one", "goes in <SOS> ti amo molto", "cross-entropy", "mean"),
        ),
        (why("training", "decoder.tokens"), ("shifted right by one", "teacher forcing", "same length by padding")),
        (why("training", "encoder.norm"), ("its meaning, its position and its interaction",)),
        (step("padded", "mask.padding"), ("nobody looks at padding",)),
        (picture("padded", "encoder.0.attention", "mask"), ("<PAD>", "What if it could see the padding?")),
        (ready("training"), ("before and after",)),
    ],
    "decoding": [
        (why("it", "time"), ("<EOS>, or at the longest length", "computed once, before the loop")),
        (picture("it", "time", "decoding"), ("time step 4", "<SOS> ti amo molto", "computed once, used")),
        (why("it", "time.2.head.last"), ("only that row is needed",)),
        (why("it", "time.2.head.logits"), ("called logits",)),
        (why("it", "time.2.head"), ("(seq, d_model) becomes (seq, vocab_size)",)),
        (why("it", "time.2.choice.token"), ("This is called greedy", "beam search")),
        (ready("beam"), ("a beam keeps several sentences, and finds a likelier one",)),
        (picture("beam", "time", "beams"), ("kept", "dropped", "Greedy gives “il n' m' a pas aidé” (−2.05)")),
        (why("writer"), ("GPT and today's chat assistants",)),
    ],
}


@pytest.mark.parametrize("theme", THEMES)
def test_what_the_guides_claim_is_shown(theme: str) -> None:
    missing = [(place.name, text) for place, texts in THEMES[theme] for text in texts if text not in place.read()]
    assert missing == []


def test_what_is_said_about_the_patches_of_the_guide_is_so() -> None:
    pixels = dict(zip("ABCDEFGHI", run("image")["patches"].value, strict=True))
    darkest = min(float(each.min()) for each in pixels.values())
    assert [name for name, each in pixels.items() if each.min() == darkest] == ["E", "I"]
    reach = {name: float(np.ptp(each)) for name, each in pixels.items()}
    spread = {name: float(each.std()) for name, each in pixels.items()}
    assert max(reach, key=reach.__getitem__) == max(spread, key=spread.__getitem__) == "D", "by either measure"


def test_what_is_said_about_the_features_of_the_guide_is_so() -> None:
    """A patch's four pixels: upper left, upper right, lower left, lower right."""
    matrix = run("image").parameters["embed.projection.weight"]
    evenly, sideways = (np.abs(np.array(pattern) @ matrix) for pattern in ([1, 1, 1, 1], [1, -1, 1, -1]))
    assert evenly.argmax() == 2
    assert sideways.argmax() == 1


def test_near_and_far_words_are_so_in_the_model() -> None:
    """Cat and dog are closer than cat and car, as the guide says and as the model has learned."""
    near, far = (float(run(pair)["similarity.cosine"].value) for pair in ("cat and dog", "cat and car"))
    assert near > far


def test_both_orders_are_alike_only_without_positions() -> None:
    with_positions, without = (
        [float(trace["similarity.cosine"].value) for trace in run_both(comparisons()[name])]
        for name in ("order", "order-without-positions")
    )
    assert with_positions[0] - with_positions[1] > 0.01
    assert without == pytest.approx([1, 1], abs=1e-9)
