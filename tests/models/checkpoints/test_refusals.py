"""What is no checkpoint that can be run is refused in one sentence, which names what is wrong, and takes no memory."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import txviz
from tests.models.checkpoints.reference import ENCODERS, FOLDER, TRANSLATORS, WRITERS, path
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
    assert "or Electra (Model, ForMaskedLM, ForSequenceClassification), GPT2LMHeadModel, Llama, Mistral, " in sentence
    assert "Gemma or Phi3 (ForCausalLM), " in sentence
    alone = [names[0].removesuffix("ForCausalLM") for _, *names in FAMILIES.values() if len(names) == 1]
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
        ("minilm", {"layer_norm_eps": float("nan")}, "layer_norm_eps; it should be a number that is not negative"),
        ("minilm", {"hidden_size": {"a": None}}, "hidden_size; it should be a whole number"),
        ("minilm", {"hidden_size": -16}, "hidden_size; it should be a whole number"),
        ("minilm", {"vocab_size": 59}, "do not belong together"),
        ("minilm", {"model_type": 7}, "model_type; it should be a text"),
        ("llama", {"rope_parameters": {"rope_theta": 0}}, "rope_theta; it should be a number of at least 1"),
        ("llama", {"rope_parameters": 7}, "rope_parameters; it should be an object"),
        ("llama", {"rope_parameters": {"rope_type": "llama3", "factor": 0}}, "has 0 as its factor"),
        (
            "llama",
            {"rope_parameters": {"rope_type": "llama3", "factor": 2, "low_freq_factor": 4, "high_freq_factor": 4}},
            "high_freq_factor; it should be more than the low_freq_factor, 4",
        ),
        ("llama", {"head_dim": 5}, "turning them needs pairs"),
        ("qwen3", {"use_sliding_window": True}, "use_sliding_window; it should be false"),
        ("qwen3", {"head_dim": 6}, "has shape"),
        ("gemma", {"hidden_act": "silu"}, 'hidden_act; it should be "gelu_pytorch_tanh" or "gelu"'),
        ("gemma", {"use_bidirectional_attention": True}, "use_bidirectional_attention; it should be false"),
        ("gemma", {"tie_word_embeddings": False}, "have no tensor model.lm_head.weight"),
        ("phi3", {"partial_rotary_factor": 0.75}, "partial_rotary_factor; it should be 1.0 or 1"),
        ("phi3", {"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor; it should be 1.0 or 1"),
        ("phi3", {"rope_parameters": {"rope_type": "longrope"}}, "rope_parameters; it should be default or llama3"),
        ("phi3", {"num_key_value_heads": 2}, "qkv_proj.weight of"),
        ("phi3", {"intermediate_size": 10}, "gate_up_proj.weight of"),
        ("electra-generator", {"embedding_size": 8}, "embeddings.word_embeddings.weight of"),
        ("electra-generator", {"tie_word_embeddings": False}, "tie_word_embeddings; it should be true"),
        ("marian", {"decoder_start_token_id": 10**6}, "token_id; it should be a whole number from 0 to 54"),
        ("marian", {"eos_token_id": None}, "has no eos_token_id; it should be the number of a token, from 0 to 54"),
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


def test_a_tensor_that_its_shard_does_not_have(folder: Folder) -> None:
    made = folder("llama")
    index = json.loads((made / "model.safetensors.index.json").read_text("utf-8"))["weight_map"]
    other = next(file for file in index.values() if file != index["model.norm.weight"])
    change(made, "model.safetensors.index.json", weight_map={**index, "model.norm.weight": other})
    assert f"{other} has no tensor model.norm.weight, which model.safetensors.index.json promises" in refused(made)


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


@pytest.mark.parametrize("told", [7, [7], [[0.5]], [[55]], [[-1]], [None]])
def test_words_that_must_not_be_written_are_tokens(folder: Folder, told: Any) -> None:
    made = folder("marian")
    change(made, "generation_config.json", bad_words_ids=told)
    assert "generation_config.json has" in refused(made)


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"do_pad": True}, "asks for do_pad; what can be done is do_resize"),
        ({"crop_pct": 0.9}, "asks for crop_pct"),
        ({"do_normalize": False}, "do_normalize; it should be true"),
        ({"image_mean": [float("nan")] * 3}, "image_mean; it should be 3 numbers"),
        ({"image_std": [10**400] * 3}, "image_std; it should be 3 numbers"),
        ({"image_std": [0, 1, 1]}, "image_std; it should be 3 numbers above 0"),
        ({"size": {"height": 8, "width": 10**7}}, "width; it should be a whole number from 1 to 4,096"),
        ({"size": {"longest_edge": 8}}, "has no height"),
        ({"resample": "bilinear"}, "resample; it should be a whole number from 0 to 5"),
    ],
)
def test_a_preprocessor_that_asks_for_something_else(folder: Folder, entries: dict[str, Any], said: str) -> None:
    made = folder("vit")
    change(made, "preprocessor_config.json", **entries)
    assert said in refused(made, str(FOLDER / "photograph.png"))


def change_header(file: Path, change: Callable[[Any], str]) -> None:
    content = file.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = change(json.loads(content[8 : 8 + length])).encode()
    file.write_bytes(struct.pack("<Q", len(header)) + header + content[8 + length :])


def overlapping(header: Any) -> str:
    """Two norms in one place, and nothing in that of the last."""
    names = sorted(name for name in header if name.endswith("LayerNorm.weight"))
    header[names[1]]["data_offsets"] = header[names[0]]["data_offsets"]
    return json.dumps(header)


def twice(header: Any) -> str:
    name = next(name for name in header if name.endswith("LayerNorm.weight"))
    return f'{json.dumps(header)[:-1]}, "{name}": {json.dumps(header[name])}}}'


def of_a_type(kind: object) -> Callable[[Any], str]:
    def change(header: Any) -> str:
        return json.dumps({name: {**each, "dtype": kind} for name, each in header.items() if name != "__metadata__"})

    return change


def empty_and_endless(header: Any) -> str:
    last = max((each["data_offsets"][1] for name, each in header.items() if name != "__metadata__"), default=0)
    wide = {"dtype": "F32", "shape": [0, 2**62, 2**62], "data_offsets": [last, last]}
    name = "embeddings.word_embeddings.weight"
    return json.dumps({**header, "other": header[name], name: wide})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (overlapping, "its tensors overlap"),
        (twice, "a name stands in it twice"),
        (of_a_type("F8_E4M3"), "holds numbers of the type F8_E4M3; what can be read is F64, F32, F16, BF16"),
        (of_a_type("I64"), "holds numbers of the type I64"),
        (of_a_type(None), "holds numbers of the type None"),
        (of_a_type("BF16"), "another size than its shape says"),
        (empty_and_endless, "no array has the shape"),
    ],
)
def test_a_header_that_lies(folder: Folder, change: Callable[[Any], str], said: str) -> None:
    made = folder("minilm")
    change_header(made / "model.safetensors", change)
    assert said in refused(made)


def test_bytes_that_belong_to_no_tensor(folder: Folder) -> None:
    made = folder("minilm")
    with (made / "model.safetensors").open("ab") as file:
        file.write(b"1234")
    assert "bytes at its end belong to no tensor" in refused(made)


def test_numbers_that_a_tokenizer_adds_by_itself(folder: Folder) -> None:
    """They stand in its template, and in no vocabulary."""
    made = folder("minilm")
    file = made / "tokenizer.json"
    described = json.loads(file.read_text("utf-8"))
    for each in described["post_processor"]["special_tokens"].values():
        each["ids"] = [4711]
    file.write_text(json.dumps(described), "utf-8")
    assert "has numbers up to 4711, and the model's table 100 rows" in refused(made)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("vocab.txt", b"", "vocab.txt has no [UNK]"),
        ("vocab.txt", b"\xff\xfe", "the tokenizer in"),
        ("tokenizer_config.json", b"[", "tokenizer_config.json is damaged"),
    ],
)
def test_damaged_files_of_older_tokenizers(folder: Folder, file: str, content: bytes, said: str) -> None:
    made = folder("minilm")
    (made / "tokenizer.json").unlink()
    (made / file).write_bytes(content)
    assert said in refused(made)


@pytest.mark.parametrize("content", ["{}", '{"zzz": 99}', '{"a": 1, "b": 1}', "[]"])
def test_a_vocabulary_of_another_size(folder: Folder, content: str) -> None:
    made = folder("marian")
    (made / "vocab.json").write_text(content, "utf-8")
    assert "vocab.json does not number 55 pieces" in refused(made)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "config.json is damaged: it is no JSON"),
        (b"\xff", "config.json is damaged: it is no JSON"),
        (b"[" * 100_000, "config.json is damaged: it is no JSON"),
        (b"[]", "is no model: its config.json has neither a model_type nor architectures"),
        (b'{"model": "digit"}', 'a model of the kind "digit"; it can be sentence'),
        (b'{"model": ["digits"]}', "it can be sentence"),
    ],
)
def test_a_configuration_that_is_none(folder: Folder, content: bytes, said: str) -> None:
    made = folder("minilm")
    (made / "config.json").write_bytes(content)
    assert said in refused(made)


def test_folders_that_are_none(folder: Folder, tmp_path: Path) -> None:
    made = folder("minilm")
    (made / "config.json").rename(made / "was.json")
    assert refused(made).startswith(f"{made} is a folder without a model; one has config.json")
    (made / "config.json").symlink_to(made / "config.json")
    assert "Too many levels of symbolic links" in refused(made)
    assert refused(made / "was.json").endswith("is a file, and a folder is expected")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "Too many levels of symbolic links" in refused(tmp_path / "loop")


LIMITED = """
import resource, sys
import numpy, tokenizers, txviz
from PIL import Image
from pathlib import Path
from txviz.models.checkpoints import bert, llama, marian, vit
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[3]) * 2**20,) * 2)
try:
    txviz.trace(sys.argv[1], sys.argv[2])
except txviz.TxvizError as error:
    print(error)
"""
needs_limits = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits as Linux has them")


def said_with_little_memory(folder: Path, source: str = "the cat", megabytes: int = 300) -> str:
    """What a process says that may take only so much more than it has when it begins."""
    command = [sys.executable, "-c", LIMITED, str(folder), source, str(megabytes)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    return done.stdout


def many_names(count: int) -> bytes:
    header = json.dumps({str(i): {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for i in range(count)}).encode()
    return struct.pack("<Q", len(header)) + header


FLOODS: dict[str, tuple[str, str, Callable[[], bytes], str]] = {
    "a configuration of lists": ("minilm", "config.json", lambda: b"[" + b"[]," * 3_000_000 + b"[]]", "config.json"),
    "a configuration of zeros": ("minilm", "config.json", lambda: bytes(20_000_000), "is too large"),
    "a header of names": ("minilm", "model.safetensors", lambda: many_names(140_000), "have no tensor"),
    "a longer header of names": ("minilm", "model.safetensors", lambda: many_names(300_000), "at most 10,000,000"),
    "a tokenizer of zeros": ("minilm", "tokenizer.json", lambda: bytes(101_000_000), "is too large"),
    "an index of lists": (
        "llama",
        "model.safetensors.index.json",
        lambda: b'{"weight_map": [' + b"{}," * 3_000_000 + b"{}]}",
        "does not say which tensor",
    ),
    "pieces that end nowhere": ("marian", "source.spm", lambda: b"\x0a\x00" * 1_000_000, "source.spm"),
}


@needs_limits
@pytest.mark.parametrize("name", FLOODS)
def test_files_that_swell_are_refused_in_300_megabytes(folder: Folder, name: str) -> None:
    model, file, content, said = FLOODS[name]
    made = folder(model)
    (made / file).write_bytes(content())
    assert said in said_with_little_memory(made)


SIZES = [
    *(("minilm", name) for name in ("hidden_size", "intermediate_size", "vocab_size", "max_position_embeddings")),
    *(("gpt2", name) for name in ("n_embd", "n_head", "n_inner", "n_layer", "n_positions", "vocab_size")),
    *(("llama", name) for name in ("head_dim", "hidden_size", "num_hidden_layers", "vocab_size")),
    *(("marian", name) for name in ("d_model", "decoder_layers", "max_position_embeddings", "vocab_size")),
    *(("distilbert-masked", name) for name in ("dim", "max_position_embeddings")),
    *(("phi3", name) for name in ("hidden_size", "intermediate_size", "num_attention_heads")),
    *(("electra-generator", name) for name in ("embedding_size", "hidden_size")),
    *(("vit", name) for name in ("hidden_size", "num_hidden_layers", "image_size", "patch_size")),
]


@needs_limits
def test_sizes_that_are_promised_take_no_memory(folder: Folder) -> None:
    """As large as each may be: what is not in the file is never made."""
    largest = {"n_layer": 1000, "num_hidden_layers": 1000, "decoder_layers": 1000, "head_dim": 10_000}
    largest |= {"vocab_size": 1_000_000, "image_size": 10_000, "patch_size": 10_000}
    made = {name: folder(name) for name in {model for model, _ in SIZES}}
    change(made["distilbert-masked"], "config.json", sinusoidal_pos_embds=True)
    for model, name in SIZES:
        before = (made[model] / "config.json").read_bytes()
        most = 10_001 if model == "marian" and name == "max_position_embeddings" else 10_000_000
        change(made[model], "config.json", **{name: largest.get(name, most)})
        source = str(FOLDER / "photograph.png") if model == "vit" else "the cat"
        assert said_with_little_memory(made[model], source), (model, name)
        (made[model] / "config.json").write_bytes(before)


@pytest.mark.parametrize("name", [*ENCODERS, *WRITERS, *TRANSLATORS])
def test_half_of_a_character_is_not_the_tokenizers_fault(name: str) -> None:
    assert refused(FOLDER / name, "the \ud800cat") == (
        "character 5 of the sentence is U+D800, which is not text; leave it out"
    )


@pytest.mark.parametrize(
    ("table", "when"),
    [("$", "the file is read"), ("AAAA" * 25, "a text is cut"), (7, "the file is read")],
    ids=["no base64", "zeros", "a number"],
)
def test_a_library_that_panics_is_not_heard(
    folder: Folder, capfd: pytest.CaptureFixture[str], table: object, when: str
) -> None:
    """Its own words are many lines on stderr; what is told is one sentence."""
    made = folder("t5")
    described = json.loads((made / "tokenizer.json").read_text("utf-8"))
    assert described["normalizer"]["type"] == "Precompiled"
    described["normalizer"]["precompiled_charsmap"] = table
    (made / "tokenizer.json").write_text(json.dumps(described), "utf-8")
    assert "the tokenizer in" in refused(made)
    os.write(2, b"still there")
    assert capfd.readouterr().err == "still there", when


def test_a_tokenizer_is_opened_where_stderr_is_closed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "txviz", "show", path("gpt2"), "the cat", "--step", "*.tokens"]
    done = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", *command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "tokens" in done.stdout
