"""What is no checkpoint that can be run is refused in one sentence, which names what is wrong, and takes no memory."""

from __future__ import annotations

import json
import shutil
import struct
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import txviz
from tests.models.checkpoints.reference import FOLDER, path
from txviz.cli import main
from txviz.errors import TxvizError
from txviz.models import registry
from txviz.models.checkpoints.families import FAMILIES
from txviz.ops import Array


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[str], Path]:
    """A copy that may be damaged."""

    def copied(name: str) -> Path:
        return Path(shutil.copytree(FOLDER / name, tmp_path / name))

    return copied


def refused(folder: Path, source: str = "the cat") -> str:
    with pytest.raises(TxvizError) as caught:
        txviz.trace(str(folder), source)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 700
    return sentence


def change(folder: Path, file: str = "config.json", **entries: Any) -> None:
    described = json.loads((folder / file).read_text("utf-8"))
    (folder / file).write_text(json.dumps({**described, **entries}), "utf-8")


def change_weights(folder: Path, change: Callable[[dict[str, Array]], object]) -> None:
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


Folder = Callable[[str], Path]


def test_pickles_are_not_opened(folder: Folder) -> None:
    made = folder("minilm")
    (made / "model.safetensors").rename(made / "pytorch_model.bin")
    sentence = refused(made)
    assert "pytorch_model.bin" in sentence
    assert "safe_serialization=True" in sentence


def test_no_weights_at_all(folder: Folder) -> None:
    made = folder("minilm")
    (made / "model.safetensors").unlink()
    assert "has no weights; model.safetensors is expected" in refused(made)


@pytest.mark.parametrize(
    "entries",
    [{"model_type": "mamba", "architectures": ["MambaForCausalLM"]}, {"architectures": ["BertForTokenClassification"]}],
)
def test_an_unknown_architecture_is_named_and_what_is_known(folder: Folder, entries: dict[str, Any]) -> None:
    made = folder("minilm")
    change(made, **entries)
    sentence = refused(made)
    assert f"holds a {entries['architectures'][0]}; what can be run is Bert, DistilBert, " in sentence
    assert "or MPNet (Model, ForMaskedLM, ForSequenceClassification), GPT2LMHeadModel, LlamaForCausalLM, " in sentence
    alone = [names[0] for _, *names in FAMILIES.values() if len(names) == 1]
    assert len(alone) > 5
    assert all(name in sentence for name in alone)
    assert "…" not in sentence


def test_a_missing_tensor_is_named(folder: Folder) -> None:
    made = folder("bert-masked")
    change_weights(made, lambda tensors: tensors.pop("bert.encoder.layer.1.output.dense.weight"))
    sentence = refused(made)
    assert "have no tensor bert.encoder.layer.1.output.dense.weight, which the model needs" in sentence
    assert "what can be run is Bert, " in sentence


def test_a_wrong_shape_is_told(folder: Folder) -> None:
    made = folder("bert-masked")
    name = "bert.embeddings.position_embeddings.weight"
    change_weights(made, lambda tensors: tensors.update({name: np.zeros((7, 16), dtype=np.float32)}))
    assert f"{name} of {made} has shape (7, 16)" in refused(made)


@pytest.mark.parametrize(
    ("name", "entries", "said"),
    [
        ("minilm", {"hidden_size": 32}, "has shape"),
        ("minilm", {"hidden_size": "16"}, "hidden_size; it should be a whole number"),
        ("minilm", {"hidden_size": 10**12}, "hidden_size; it should be a whole number"),
        ("minilm", {"num_hidden_layers": 5}, "have no tensor bert.encoder.layer.2."),
        ("minilm", {"num_attention_heads": 3}, "shares 16 among 3 heads"),
        ("minilm", {"hidden_act": "mish"}, "hidden_act; it should be gelu or"),
        ("minilm", {"position_embedding_type": "relative_key"}, 'position_embedding_type; it should be "absolute"'),
        ("vit", {"num_channels": 4}, "num_channels; it should be 3 or 1"),
        ("deit", {"num_channels": 1}, "num_channels; it should be 3"),
        ("vit-drawing", {"image_size": 64}, "num_channels; it should be 3, or 1 where the image has at most 32×32"),
        ("gpt2", {"n_layer": None}, "has no n_layer"),
        ("gpt2", {"n_layer": 10**6}, "n_layer; it should be a whole number from 1 to 1,000"),
        ("gpt2", {"vocab_size": 10**7}, "vocab_size; it should be a whole number from 1 to 1,000,000"),
        ("marian", {"max_position_embeddings": 10**7}, "max_position_embeddings; it should be a whole number"),
        ("gpt2", {"eos_token_id": 10**6}, "eos_token_id; it should be the number of a token"),
        ("llama", {"num_key_value_heads": 3}, "shares 4 among 3 heads"),
        ("llama", {"rope_parameters": {"rope_type": "yarn"}}, "rope_parameters; it should be default or llama3"),
        ("bert-classifier", {"id2label": {"0": "a", "7": "b"}}, "id2label; it should be a name for each class"),
        ("marian", {"share_encoder_decoder_embeddings": False}, "share_encoder_decoder_embeddings"),
        ("t5", {"feed_forward_proj": "gated-mish"}, "feed_forward_proj; it should be relu or gelu or gated-gelu"),
        ("t5", {"relative_attention_num_buckets": 3}, "relative_attention_num_buckets; it should be a whole number"),
        ("t5", {"relative_attention_max_distance": 5}, "relative_attention_max_distance; it should be a whole number"),
        ("t5", {"relative_attention_num_buckets": 8}, "relative_attention_bias.weight of"),
        ("t5", {"decoder_start_token_id": 99}, "decoder_start_token_id; it should be a whole number from 0 to 62"),
        ("t5", {"num_decoder_layers": 3}, "have no tensor decoder.block.2."),
        ("t5", {"is_encoder_decoder": False}, "is_encoder_decoder; it should be true"),
        ("mpnet", {"relative_attention_num_buckets": 16}, "relative_attention_num_buckets; it should be 32"),
        ("mistral", {"sliding_window": -1}, "sliding_window; it should be a whole number"),
        ("mistral", {"sliding_window": 3}, "this model reads at most 3"),
        ("t5", {"n_positions": 3}, "this model reads at most 3"),
    ],
)
def test_a_configuration_that_lies(folder: Folder, name: str, entries: dict[str, Any], said: str) -> None:
    made = folder(name)
    change(made, **entries)
    assert said in refused(made)


def test_a_tokenizer_of_another_model(folder: Folder) -> None:
    made = folder("bert-masked")
    shutil.copy(FOLDER / "gpt2/tokenizer.json", made / "tokenizer.json")
    assert "do not belong together" in refused(made)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"model": {"type": "WordPiece"}}', b"\xff\xfe"])
def test_a_damaged_tokenizer(folder: Folder, content: bytes) -> None:
    made = folder("bert-masked")
    (made / "tokenizer.json").write_bytes(content)
    assert "tokenizer" in refused(made)


@pytest.mark.parametrize("content", [b"", b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x05abc", b"\xff" * 40, b"\x07"])
def test_a_damaged_sentence_piece_model(folder: Folder, content: bytes) -> None:
    made = folder("marian")
    (made / "source.spm").write_bytes(content)
    assert "source.spm is no sentence-piece model" in refused(made)


@pytest.mark.parametrize("kept", [0, 4, 100, 5000, 20000])
def test_a_cut_shard(folder: Folder, kept: int) -> None:
    made = folder("llama")
    shard = made / "model-00002-of-00003.safetensors"
    shard.write_bytes(shard.read_bytes()[: min(kept, shard.stat().st_size - 1)])
    assert "model-00002-of-00003.safetensors is damaged" in refused(made)


def test_a_missing_shard(folder: Folder) -> None:
    made = folder("llama")
    (made / "model-00002-of-00003.safetensors").unlink()
    assert "there is no file" in refused(made)


@pytest.mark.parametrize("file", ["../gpt2/model.safetensors", "/etc/passwd", 7])
def test_an_index_that_points_elsewhere(folder: Folder, file: Any) -> None:
    made = folder("llama")
    change(made, "model.safetensors.index.json", weight_map={"model.norm.weight": file})
    assert "model.safetensors.index.json is damaged" in refused(made)


@pytest.mark.parametrize(
    "content",
    [
        struct.pack("<Q", 2**62) + b"{}",
        struct.pack("<Q", 10**9) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 40) + b'{"a": {"dtype": "F32", "shape": [9999999]}',
        struct.pack("<Q", 66) + b'{"a":{"dtype":"F32","shape":[99999999999],"data_offsets":[0,4]}}  ' + b"1234",
        struct.pack("<Q", 60) + b'{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}     ' + b"1234",
    ],
)
def test_a_header_that_promises_too_much_takes_no_memory(folder: Folder, content: bytes) -> None:
    made = folder("minilm")
    (made / "model.safetensors").write_bytes(content)
    refused(made)
    registry.forget()
    tracemalloc.start()
    sentence = refused(made)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "model.safetensors is damaged" in sentence
    assert most < 20_000_000


def test_without_the_library_it_is_said_how_to_install_it(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert refused(folder("minilm")).endswith("pip install 'txviz[checkpoints]'")


@pytest.mark.parametrize(
    ("name", "source", "said"),
    [
        ("minilm", "a" * 200 + " the cat" * 40, "this model reads at most 40"),
        ("minilm", "a | b | c", "one text or two"),
        ("gpt2", "", "the text is empty"),
        ("gpt2", "the cat " * 30, "this model reads at most 40"),
        ("marian", "", "the text is empty"),
        ("vit", "no-such-file.png", "there is no file"),
        ("vit", str(FOLDER / "vit/config.json"), "not an image"),
    ],
)
def test_inputs_that_can_not_be_read(name: str, source: str, said: str) -> None:
    with pytest.raises(TxvizError, match=said):
        txviz.trace(path(name), source)


def test_the_command_line_says_it_in_one_line(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    made = folder("minilm")
    (made / "model.safetensors").unlink()
    assert main(["show", str(made), "the cat"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "has no weights" in said


@pytest.mark.parametrize("file", ["modules.json", "1_Pooling/config.json"])
@pytest.mark.parametrize("content", ["7", "[]", "[7, 7]", "{}", "null", '"x"'])
def test_nonsense_of_sentence_transformers(folder: Folder, file: str, content: str) -> None:
    made = folder("minilm")
    (made / file).write_text(content, "utf-8")
    assert Path(file).name in refused(made)
