"""The trained models as they ship: their figures measured again, their seeds' sentences, and odd input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import txviz
from txviz import TxvizError
from txviz.cli import main
from txviz.data import digits
from txviz.data.translation import translate
from txviz.files import checksum
from txviz.models import find
from txviz.models.model import Prepared
from txviz.models.registry import TRAINED
from txviz.models.trained import TrainedModel
from txviz.nets.parameters import Shapes
from txviz.trace import Run
from txviz.trace.step import equal_bits
from txviz.training.train import course, train_model
from txviz.training.trainer import Progress, Trainer


def shipped(name: str) -> TrainedModel:
    model = find(name)
    assert isinstance(model, TrainedModel)
    return model


@pytest.fixture(scope="module", params=TRAINED)
def model(request: pytest.FixtureRequest) -> TrainedModel:
    return shipped(request.param)


def test_the_card_says_what_is_measured(model: TrainedModel) -> None:
    parameters = {name: value.astype(np.float32) for name, value in model.parameters.items()}
    learning = course(model.name)
    words = model.vocabulary if (model.folder / "vocabulary.json").is_file() else None
    figures = learning.measure(parameters, model.config, words)
    stated = json.loads((model.folder / "figures.json").read_text("utf-8"))
    assert figures == pytest.approx(stated, rel=2e-3)
    card = (model.folder / "card.md").read_text("utf-8")
    assert learning.about(stated) in card


def test_its_folder_is_as_training_writes_it(model: TrainedModel) -> None:
    """Checksum and all: nobody has changed a shipped file by hand."""
    parameters = {name: value.astype(np.float32) for name, value in model.parameters.items()}
    words = model.vocabulary if (model.folder / "vocabulary.json").is_file() else None
    written = course(model.name).contents(model.config, words, parameters)
    assert written == {name: (model.folder / name).read_bytes() for name in written}
    assert {path.name for path in model.folder.iterdir()} == {*written, "figures.json", "card.md"}


def test_where_nothing_can_be_written_is_said_before_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main(["train", "digits", "-o", str(tmp_path / "file" / "digits")]) == 2
    assert capsys.readouterr().err == f"txviz: can't write {tmp_path}/file/digits: Not a directory\n"


def test_what_was_promised() -> None:
    def figure(name: str, key: str) -> float:
        return float(json.loads((shipped(name).folder / "figures.json").read_text("utf-8"))[key])

    assert figure("digits", "held_out_accuracy") >= 0.97
    assert figure("digits", "drawings_accuracy") >= 0.90
    assert figure("digits", "drawings_accuracy_inverted") >= 0.90
    assert figure("translator", "held_out_exact") >= 0.95
    assert figure("sentence", "held_out_triplets") >= 0.90
    assert (
        figure("writer", "held_out_perplexity")
        < figure("writer", "bigram_perplexity")
        < figure("writer", "unigram_perplexity")
    )


class Blockless(TrainedModel):
    """Of an architecture that is not a stack of blocks."""

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        return Prepared({}, lambda run: "")

    def configured(self, config: dict[str, Any]) -> dict[str, Any]:
        return config

    def shapes(self, config: Any) -> Shapes:
        return {}


def test_an_architecture_need_not_have_blocks(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model": "blockless", "width": 8}')
    assert Blockless("blockless", tmp_path).config == {"width": 8}


def test_sizes() -> None:
    assert shipped("digits").config.block.d_model <= 16
    assert sum(value.size for value in shipped("digits").parameters.values()) < 8000
    assert shipped("translator").config.block.d_model <= 64


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I love you very much", "ti amo molto"),
        ("<fr> The house is big", "la maison est grande"),
        ("The cat lies on the sofa", translate("the cat lies on the sofa", "it")),
        ("The sofa lies on the cat", translate("the sofa lies on the cat", "it")),
        ("<fr> The cat lies on the sofa", translate("the cat lies on the sofa", "fr")),
        ("<fr> The sofa lies on the cat", translate("the sofa lies on the cat", "fr")),
        ("The dog chased the cat because it was fast.", translate("the dog chased the cat because it was fast.", "it")),
        (
            "<fr> The dog chased the cat because it was fast.",
            translate("the dog chased the cat because it was fast.", "fr"),
        ),
    ],
)
def test_the_seeds_sentences(text: str, said: str) -> None:
    assert txviz.trace("translator", text).output == said


def test_the_language_is_an_option_too() -> None:
    assert txviz.trace("translator", "The house is big", language="fr").output == "la maison est grande"
    assert txviz.trace("translator", "The house is big").output == "la casa è grande"


def test_the_encoder_runs_once() -> None:
    trace = txviz.trace("translator", "I love you very much")
    assert len(trace.find("*encoder.0.attention.weights")) == 1
    assert len(trace.find("time.*.decoder.0.cross_attention.weights")) == 4
    weights = trace["time.3.decoder.1.cross_attention.weights"]
    assert weights.labels[1] == ("<SOS>", "ti", "amo")
    assert weights.labels[2] == ("<SOS>", "<it>", "i", "love", "you", "very", "much", "<EOS>")


def test_cross_attention_aligns_words() -> None:
    """Some head of the decoder looks at "house" when "maison" is due, and at "big" when "grande" is."""
    trace = txviz.trace("translator", "<fr> The house is big")
    for time_step, source in ((2, "house"), (4, "big")):
        found = [step.value[:, -1] for step in trace.find(f"time.{time_step}.*cross_attention.weights")]
        labels = trace[f"time.{time_step}.decoder.0.cross_attention.weights"].labels[2]
        assert max(float(rows[:, labels.index(source)].max()) for rows in found) > 0.5


def test_examples_can_be_run(model: TrainedModel) -> None:
    for example in model.examples:
        assert txviz.trace(model.name, example).output is not None


def test_a_beam_finds_a_likelier_sentence_than_greedy() -> None:
    from txviz.training.translator import BEAM_EXAMPLE

    greedy = txviz.trace("translator", BEAM_EXAMPLE)
    beam = txviz.trace("translator", BEAM_EXAMPLE, strategy="beam")
    assert (greedy.output, beam.output) == ("il n'm'a pas aidé", "il ne m'a pas aidé")
    assert beam.about["log_probability"] > greedy.about["log_probability"] + 0.3
    assert {told["state"] for told in beam.about["hypotheses"]} == {"kept", "finished", "dropped"}


def test_cats_are_nearer_to_dogs_than_to_cars() -> None:
    def cosine(one: str, other: str) -> float:
        return float(txviz.trace("sentence", (one, other)).output)

    for frame in ("the {} sleeps in the garden", "we saw a {} in the street", "my {} is small"):
        cat, dog, car = (frame.format(word) for word in ("cat", "dog", "car"))
        assert cosine(cat, dog) > cosine(cat, car)


GUIDES = [
    "The cat sat.",
    "The cat lies on the sofa",
    "The sofa lies on the cat",
    "The dog chased the cat because it was fast.",
    "The house is big",
    "I love you very much",
    "YOUR CAT IS A LOVELY CAT",
    "cat dog car bird pet",
    "The children are playing in the house",
]


@pytest.mark.parametrize("sentence", GUIDES)
def test_sentence_knows_the_guides_words(sentence: str) -> None:
    assert [token.text for token in shipped("sentence").tokens(sentence, {}) if not token.known] == []


@pytest.mark.parametrize("article", ["", "a ", "the ", "your "])
def test_a_cat_by_itself_is_nearer_to_a_dog_than_to_a_car(article: str) -> None:
    near, far = (float(txviz.trace("sentence", (f"{article}cat", article + other)).output) for other in ("dog", "car"))
    assert near > far + 0.2


CAT_ON_SOFA, SOFA_ON_CAT = "the cat lies on the sofa", "the sofa lies on the cat"


def test_with_positions_the_order_of_the_words_matters() -> None:
    pair = txviz.trace("sentence", (CAT_ON_SOFA, SOFA_ON_CAT))
    assert float(pair["similarity.cosine"].value) < 0.9


def test_without_positions_both_orders_are_the_same_set_of_rows() -> None:
    without = {f"{which}.embed.positions": lambda rows: 0 * rows for which in ("first", "second")}
    pair = txviz.trace("sentence", (CAT_ON_SOFA, SOFA_ON_CAT), overrides=without)
    places = [CAT_ON_SOFA.split().index(word) for word in ("the", "sofa", "lies", "on", "the", "cat")]
    for leaf in ("embed.sum", "encoder.0.residual_2", "encoder.1.residual_2", "encoder.norm"):
        first, second = (pair[f"{which}.{leaf}"].value for which in ("first", "second"))
        np.testing.assert_allclose(first[places], second, atol=1e-9)
    assert float(pair["similarity.cosine"].value) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    ("sentence", "same", "swapped"),
    [
        (CAT_ON_SOFA, "there is a cat lying on the couch", SOFA_ON_CAT),
        ("the dog chased the cat because it was fast", "the dog chased the fast cat", "the fast dog chased the cat"),
        ("I love you very much", "I adore you", "you love me"),
        ("the dog chases the cat", "the cat is chased by the dog", "the cat chases the dog"),
        ("the dog chased the cat", "the cat was chased by the dog", "the cat chased the dog"),
        ("the nurse helps the pilot", "the pilot is helped by the nurse", "the pilot helps the nurse"),
        ("the man buys a car from the nurse", "the nurse sells a car to the man", "the man sells a car to the nurse"),
    ],
)
def test_swapped_roles_are_told_apart(sentence: str, same: str, swapped: str) -> None:
    near, far = (float(txviz.trace("sentence", (sentence, other)).output) for other in (same, swapped))
    assert near > 0.9
    assert far < 0.8


def test_one_sentence_gives_its_vector() -> None:
    trace = txviz.trace("sentence", "the cat sleeps")
    assert isinstance(trace.output, np.ndarray)
    assert trace[-1].name == "pool.mean"


@pytest.mark.parametrize("name", ["translator", "writer"])
def test_later_tokens_change_nothing_before_them(name: str) -> None:
    sentence, one, two = (
        ("The house is big", "la casa è", "la casa gatto") if name == "translator" else ("the", "cat sat", "cat ran")
    )
    before, after = (txviz.trace(name, sentence, target=target) for target in (one, two))
    rows = before["head.logits"].value.shape[0] - 2
    assert not equal_bits(before["head.logits"].value, after["head.logits"].value)
    assert equal_bits(before["head.logits"].value[:rows], after["head.logits"].value[:rows])


@pytest.mark.parametrize(
    ("name", "source", "target"),
    [
        ("translator", "I love you very much", "ti amo molto"),
        ("writer", "the cat", "sat on the mat ."),
        ("digits", digits.EXAMPLES["3"], "3"),
        ("sentence", "the cat sleeps | the dog sleeps", "0.9"),
    ],
)
def test_a_target_makes_a_training_step(name: str, source: object, target: str) -> None:
    trace = txviz.trace(name, source, target=target)
    assert str(trace.output).startswith("loss ")
    stages = [step.name.split(".")[0] for step in trace]
    first = {stage: stages.index(stage) for stage in ("loss", "backward", "update")}
    assert first["loss"] < first["backward"] < first["update"]
    updated = {step.name.removeprefix("update.") for step in trace.find("update.*") if step.op == "adam"}
    used = {
        parameter for step in trace if not step.name.startswith(("backward", "update")) for parameter in step.inputs
    } & set(shipped(name).parameters)
    assert updated == used
    assert trace.verify() == []
    if name == "translator":
        assert trace["decoder.tokens"].labels[0] == ("<SOS>", "ti", "amo", "molto")
        assert trace["labels"].labels[0] == ("ti", "amo", "molto", "<EOS>")
        assert trace["head.probabilities"].value.shape[0] == 4
        assert trace["loss.positions"].value.shape == (4,)


def targets() -> list[tuple[str, str, str]]:
    """Every example that ships, with its right answer and, where there are several, a wrong one."""
    digit = [("digits", text, right) for i, text in enumerate(shipped("digits").examples) for right in (str(i), "8")]
    pair = [("sentence", text, cosine) for text in shipped("sentence").examples for cosine in ("0.5", "-1")]
    written = [(name, text, "") for name in ("translator", "writer") for text in shipped(name).examples]
    return [*digit, *pair, *written]


@pytest.mark.parametrize(("name", "text", "target"), targets())
def test_a_training_step_lowers_the_loss(name: str, text: str, target: str) -> None:
    """As it is shown: the recipe's first rate, clipping and all. What a model writes by itself is its target here."""
    said = str(txviz.trace(name, text).output)
    trace = txviz.trace(name, text, target=target or said.removeprefix(text).strip() or "and then")
    losses = [step for step in trace if step.site.pass_ == "loss"]
    assert trace[-1].name == "after.loss"
    assert float(trace[-1].value) < float(losses[-1].value)
    recipe = shipped(name).recipe
    assert {step.params["rate"] for step in trace if step.op == "adam"} == {recipe.rate_at(1)}
    assert trace["update.length"].params["limit"] == recipe.clip


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_the_shown_step_is_the_one_that_training_makes(optimiser: Literal["adam", "sgd"]) -> None:
    """The trainer, from the same weights, on the same example: the same loss and the same new weights."""
    model, image = shipped("digits"), digits.EXAMPLES["1"]
    trace = txviz.trace("digits", image, target="4", optimizer=optimiser, learning_rate=0.002)
    recipe = replace(model.recipe, rate=0.002, warm_up=0, decay_to_zero=False, optimiser=optimiser)
    learning = course("digits")
    trainer = Trainer(model.parameters, recipe, lambda run, batch: learning.loss(run, model.config, batch, 0.0))
    loss = trainer.learn((image[None], np.array([4])))
    assert float(trace["update.length"].value) > recipe.clip  # so that clipping is tried, too
    assert float(trace["loss.mean"].value) == pytest.approx(loss, rel=1e-12)
    for name, value in trainer.parameters.items():
        np.testing.assert_allclose(trace[f"update.{name}"].value, value, rtol=0, atol=1e-9, err_msg=name)


def test_the_loss_after_the_step_is_that_of_the_new_weights() -> None:
    model, image = shipped("digits"), digits.EXAMPLES["3"]
    trace = txviz.trace("digits", image, target="3")
    new = {name: trace[f"update.{name}"].value for name in model.parameters}
    loss = course("digits").loss(Run(new), model.config, (image[None], np.array([3])), 0.0)
    assert float(trace["after.loss"].value) == pytest.approx(float(loss.value), rel=1e-12)


def test_padding_changes_no_answer() -> None:
    """It is hidden from every query, so that the words say what they said; the guide calls for it."""
    plain, padded = (txviz.trace("translator", "I love you very much", pad=pad) for pad in (0, 12))
    assert padded["tokens"].labels[0] == (*plain["tokens"].labels[0], *["<PAD>"] * 4)
    assert "mask.padding" not in {step.name for step in plain}
    np.testing.assert_array_equal(padded["mask.padding"].value[0, 0], [0] * 8 + [-np.inf] * 4)
    np.testing.assert_allclose(padded["encoder.norm"].value[:8], plain["encoder.norm"].value, atol=1e-9)
    looked_at = [step for step in padded if step.site.leaf == "weights" and step.labels[-1][-1] == "<PAD>"]
    assert {step.site.block for step in looked_at} == {"attention", "cross_attention"}
    assert all((step.value[..., 8:] == 0).all() for step in looked_at)
    assert padded.output == plain.output == "ti amo molto"
    full = txviz.trace("translator", "I love you very much", pad=8)
    assert "mask.padding" not in {step.name for step in full}, "it is as long as that"


def test_padding_makes_source_and_target_alike_and_teaches_nothing() -> None:
    """“Both sequences will have same length thanks to padding”."""
    plain, padded = (
        txviz.trace("translator", "I love you very much", target="ti amo molto", pad=pad) for pad in (0, 12)
    )
    assert len(padded["tokens"].value) == len(padded["decoder.tokens"].value) == len(padded["labels"].value) == 12
    assert (padded["loss.positions"].value[4:] == 0).all()
    assert float(padded["loss.mean"].value) == pytest.approx(float(plain["loss.mean"].value), abs=1e-12)
    assert float(padded["after.loss"].value) == pytest.approx(float(plain["after.loss"].value), abs=1e-9)


def test_unknown_words_of_a_target_are_told() -> None:
    trace = txviz.trace("translator", "I love you", target="ti amoo zzzz")
    for name in ("decoder.tokens", "labels"):
        assert "“amoo” (nearest: amo" in trace[name].text
        assert "“zzzz”" in trace[name].text
    assert "“zzzz”" in txviz.trace("writer", "the cat", target="zzzz")["labels"].text


def test_unknown_words_are_shown_with_the_nearest_known_ones() -> None:
    trace = txviz.trace("translator", "The zebra loves the housse")
    assert trace["tokens"].labels[0][3] == "zebra"
    assert "“zebra”" in trace["tokens"].text
    assert "“housse” (nearest: house" in trace["tokens"].text
    assert int(trace["tokens"].value[3]) == 3  # <UNK>
    assert "Not in the vocabulary" not in txviz.trace("sentence", "The boy DOESN’T like the soup")["tokens"].text
    assert "“zzzz”" in txviz.trace("writer", "the zzzz")["time.1.tokens"].text


@pytest.mark.parametrize(
    ("name", "source", "options", "message"),
    [
        ("translator", "", {}, "the sentence is empty"),
        ("translator", "<fr> ", {}, "the sentence is empty"),
        ("translator", "hello " * 60, {}, "this model reads at most"),
        ("translator", "the cat", {"strategy": "best"}, "strategy is 'best'; it can be greedy or beam or sample"),
        ("translator", "the cat", {"temperature": 0}, "temperature is 0; it must be a number from 0.01 to 100"),
        ("translator", "the cat", {"beam_width": 2.5}, "beam_width is 2.5; it must be a whole number from 1 to 64"),
        ("translator", "the cat", {"seed": 2**32}, "seed is 4294967296; .* whole number from 0 to 4,294,967,295$"),
        ("translator", "the cat", {"beam_width": 10**400}, "beam_width is far too large; it must be a whole number"),
        ("translator", "the cat", {"beam_width": "9" * 5000}, "beam_width is 9{40}…; it must be a whole number"),
        ("translator", "the cat", {"top_p": "much"}, "top_p is much; it must be a number"),
        ("translator", "the cat", {"target": " "}, "the sentence is empty"),
        ("digits", "The cat sat.", {}, "there is no file"),
        ("digits", digits.EXAMPLES["1"], {"target": "x"}, "the target is 'x'; it must be a digit from 0 to 9"),
        ("sentence", "a | b | c", {}, "one sentence or two"),
        ("sentence", "a | ", {}, "the sentence is empty"),
        ("sentence", "the cat", {"target": "0.5"}, "give two"),
        ("sentence", "the cat | the dog", {"target": "2"}, "must be a cosine from −1 to 1"),
        ("writer", "the cat", {"pooling": "cls"}, "writer has no option pooling"),
    ],
)
def test_bad_input(name: str, source: object, options: dict[str, Any], message: str) -> None:
    with pytest.raises(TxvizError, match=message):
        txviz.trace(name, source, **options)


def test_two_sentences_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "sentence", "the cat sleeps", "the dog sleeps", "--step", "similarity.*"]) == 0
    assert "similarity.cosine  [one number]" in capsys.readouterr().out


def test_options_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "show",
        "writer",
        "the cat",
        "--strategy",
        "sample",
        "--temperature",
        "0.8",
        "--top-k",
        "5",
        "--seed",
        "3",
    ]
    assert main([*command, "--max-steps", "4", "--cache", "--step", "*choice.token"]) == 0
    assert capsys.readouterr().out.count("choice.token  [one number]") <= 4


def test_a_short_training_run(tmp_path: Path) -> None:
    told: list[Progress] = []
    figures = train_model(course("digits", tmp_path), told.append, steps=150)
    assert told[-1].step == 150
    assert told[-1].loss < 0.8 * told[0].loss
    assert figures["held_out_accuracy"] > 0.3
    assert {path.name for path in tmp_path.iterdir()} == {
        "config.json",
        "examples.json",
        "weights.safetensors",
        "figures.json",
        "card.md",
    }
    assert str(txviz.trace(str(tmp_path), digits.EXAMPLES["7"]).output) in digits.CLASSES
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    assert config["weights_crc32"] == checksum((tmp_path / "weights.safetensors").read_bytes())
    first = (tmp_path / "weights.safetensors").read_bytes()
    train_model(course("digits", tmp_path), told.append, steps=150)
    assert (tmp_path / "weights.safetensors").read_bytes() == first


def test_ctrl_c_keeps_the_best_so_far(tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.step >= 100:
            raise KeyboardInterrupt

    figures = train_model(course("digits", tmp_path), stop)
    assert figures["held_out_accuracy"] > 0.1
    assert (tmp_path / "weights.safetensors").exists()


def test_only_trained_models_can_be_trained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "sentence-guide"]) == 2
    assert "sentence-guide is not trained; those that are: sentence, digits" in capsys.readouterr().err
