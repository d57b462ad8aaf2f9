"""Makes checkpoints/: tiny models with random weights in Hugging Face's own file format, and what transformers makes
of them, for txviz to agree with.

Neither torch nor transformers is a dependency of txviz. To make the files again, in a throwaway environment, from the
repository's root:

    pip install torch==2.13.0
    pip install transformers==5.23.0 tokenizers==0.23.3 safetensors sentencepiece==0.2.3 protobuf pillow
    python tests/reference/make_checkpoints.py [NAME …]

The script does not import txviz, so that the two can't share a mistake. Each model has a folder, as it would be
downloaded, and two files beside it:

    <name>.safetensors   float64/<what>: hidden states, attentions, logits, …, computed with weights of that type;
                         float32/<what>: the last ones. Those of a decoder are of the prompt, or of a target.
    <name>.json          the input, the tokenizer's ids for many strings, and what is generated

transformers computes some things in float32 whatever the model's type is (softmax, RMS norm, rotary angles). For
float64 that is undone by ``really_double``, else nothing could be compared to ten digits. Training a tokenizer is not
quite the same each time, so all files of a model are made anew together.
"""

from __future__ import annotations

import json
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import sentencepiece
import torch
import transformers
from PIL import Image
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from torch import Tensor

HERE = Path(__file__).parent / "checkpoints"
TEXT = "The cat sat on the mat."
PAIR = ("The cat sleeps.", "A dog runs home?")
CORPUS = [
    "The cat sat on the mat.",
    "A dog runs home, and the cats sleep.",
    "Running dogs don't sleep on mats?",
    "naïve café: the price is 10 dollars!",
    "the capital of france is paris",
    "I love you very much; the house is big.",
]
NASTY = [
    "",
    " ",
    "The cat sat on the mat.",
    "  two  spaces\tand\na line ",
    "UNBELIEVABLE running",
    "naïve café NAÏVE CAFÉ",
    "日本語 and 中文",
    "👩‍👩‍👧 family, ﬁne",
    "don't can't the cats' mats",
    "[MASK] <mask> </s> <s> [SEP] <unk> <|endoftext|>",
    "a" * 120,
    "x\u200by\u00a0z\u00ad-\u2026",
    "10,000.50 €",
    "e\u0301 vs é",
    "#hash @at \\ / | ~ ` ^",
]
SHORT = "the cat sat"


def lively(model: torch.nn.Module, name: str) -> torch.nn.Module:
    """Random biases and gains, too: zeros and ones would hide mistakes."""
    generator = torch.Generator().manual_seed(crc32(name.encode()))
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if not parameter.requires_grad:
                continue
            drawn = torch.randn(parameter.shape, generator=generator) * 0.3
            is_gain = parameter.ndim == 1 and key.endswith("weight")
            parameter.copy_(drawn + 1 if is_gain else drawn)
    return model.eval()


def talkative(model: torch.nn.Module, *outputs: str) -> torch.nn.Module:
    """What the blocks add counts for more than the token itself, which a tied head would only repeat."""
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if key.endswith(outputs):
                parameter *= 5
    return model


@contextmanager
def really_double() -> Iterator[None]:
    """Inside, what transformers asks for in float32 comes in float64."""
    kept, as_float = torch.float32, torch.Tensor.float
    torch.float32 = torch.float = torch.float64
    torch.Tensor.float = torch.Tensor.double
    try:
        yield
    finally:
        torch.float32 = torch.float = kept
        torch.Tensor.float = as_float


def in_double(model: Any) -> None:
    """The weights as float64, and the rotary frequencies and sinusoids, which are no weights, computed so."""
    model.double()
    for module in model.modules():
        if type(module).__name__.endswith("RotaryEmbedding"):
            with really_double():
                module.inv_freq = module.compute_default_rope_parameters(module.config)[0]


class Fixture:
    def __init__(self, name: str) -> None:
        self.name, self.folder = name, HERE / name
        self.tensors: dict[str, Tensor] = {}
        self.told: dict[str, Any] = {}
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def save(self, model: Any, **how: Any) -> Any:
        """The checkpoint as it would be downloaded, with the weights in float32."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.save_pretrained(self.folder, **how)
        return model

    def change_config(self, **entries: Any) -> None:
        """None takes an entry away."""
        file = self.folder / "config.json"
        changed = {**json.loads(file.read_text("utf-8")), **entries}
        kept = {name: entry for name, entry in changed.items() if entry is not None}
        file.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")

    def compute(self, model: Any, run: Callable[[], dict[str, Any]]) -> None:
        """What the model gives, in both types."""
        found = run()
        for states in ("hidden", "encoder", "decoder"):  # the last one has all rounding of those before it
            if states in found:
                found[states] = found[states][-1]
        self._keep("float32", {key: value for key, value in found.items() if not isinstance(value, tuple)})
        in_double(model)
        with really_double():
            self._keep("float64", run())

    def _keep(self, kind: str, found: dict[str, Any]) -> None:
        for key, value in found.items():
            for i, each in enumerate(value) if isinstance(value, tuple) else [("", value)]:
                name = f"{kind}/{key}" + (f".{i}" if i != "" else "")
                assert each.dtype == getattr(torch, kind), name
                self.tensors[name] = each[0].detach().clone(memory_format=torch.contiguous_format)

    def write(self) -> None:
        save_file(self.tensors, HERE / f"{self.name}.safetensors")
        text = json.dumps(self.told, ensure_ascii=True, indent=1)
        (HERE / f"{self.name}.json").write_text(text + "\n", encoding="utf-8")
        print(self.name, sum(file.stat().st_size for file in HERE.glob(f"{self.name}*/**/*") if file.is_file()))


def eager(kind: Any, config: Any, name: str) -> Any:
    config._attn_implementation = "eager"
    return lively(kind(config), name)


def tell_tokens(fixture: Fixture, tokenizer: Any, pairs: bool = False) -> None:
    fixture.told["tokens"] = {text: tokenizer(text)["input_ids"] for text in [*NASTY, SHORT]}
    if pairs:
        found = tokenizer(*PAIR)
        fixture.told["pair"] = {"texts": PAIR, **{key: found[key] for key in ("input_ids", "token_type_ids")}}


def trained_word_pieces(special: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=100, special_tokens=special))
    return tokenizer


def wordpiece(folder: Path) -> Any:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = trained_word_pieces(special)
    tokenizer.decoder = decoders.WordPiece()
    ends = [(each, tokenizer.token_to_id(each)) for each in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=ends
    )
    named = {f"{each[1:-1].lower()}_token": each for each in special}
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=40, **named)
    made.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
    made.save_pretrained(folder)
    words = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word, _ in words), encoding="utf-8")
    return made


def byte_level(folder: Path, special: list[str], roberta: bool = False) -> Any:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>" if roberta else None))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.decoder = decoders.ByteLevel()
    if roberta:
        numbers = tokenizer.get_vocab()
        sep, cls = ("</s>", numbers["</s>"]), ("<s>", numbers["<s>"])
        tokenizer.post_processor = processors.RobertaProcessing(sep, cls, add_prefix_space=False)
        names = {"bos": "<s>", "eos": "</s>", "unk": "<unk>", "pad": "<pad>", "mask": "<mask>"}
    else:
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
        names = dict.fromkeys(("bos", "eos", "unk"), "<|endoftext|>")
    named = {f"{name}_token": each for name, each in names.items()}
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=40, **named)
    made.save_pretrained(folder)
    tokenizer.model.save(str(folder))
    return made


BERT: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": 40,
}


SMALL: dict[str, Any] = {**BERT, "hidden_size": 8, "intermediate_size": 12}


def encode(model: Any, inputs: Any, **more: Callable[[Any], Tensor]) -> Callable[[], dict[str, Any]]:
    def run() -> dict[str, Any]:
        with torch.no_grad():
            out = model(**inputs, output_hidden_states=True, output_attentions=True)
        found = {"hidden": out.hidden_states, "attention": out.attentions, **{k: f(out) for k, f in more.items()}}
        return {**found, "logits": out.logits} if getattr(out, "logits", None) is not None else found

    return run


def bert_masked() -> None:
    fixture = Fixture("bert-masked")
    tokenizer = wordpiece(fixture.folder)
    config = transformers.BertConfig(**BERT, vocab_size=len(tokenizer), hidden_act="gelu")
    model = fixture.save(eager(transformers.BertForMaskedLM, config, fixture.name))
    fixture.told["input"] = "The cat [MASK] on the mat."
    tell_tokens(fixture, tokenizer, pairs=True)
    fixture.compute(model, encode(model, tokenizer(fixture.told["input"], return_tensors="pt")))
    fixture.write()


def bert_classifier() -> None:
    fixture = Fixture("bert-classifier")
    tokenizer = wordpiece(fixture.folder)
    labels = {"id2label": {0: "follows", 1: "does not", 2: "who knows"}, "label2id": {}}
    config = transformers.BertConfig(**BERT, vocab_size=len(tokenizer), hidden_act="gelu_new", num_labels=3, **labels)
    model = fixture.save(eager(transformers.BertForSequenceClassification, config, fixture.name))
    fixture.told["input"] = PAIR
    tell_tokens(fixture, tokenizer, pairs=True)
    fixture.compute(model, encode(model, tokenizer(*PAIR, return_tensors="pt")))
    fixture.write()


def minilm() -> None:
    """A BertModel with the files that sentence-transformers adds: mean pooling, and length 1."""
    fixture = Fixture("minilm")
    tokenizer = wordpiece(fixture.folder)
    config = transformers.BertConfig(**BERT, vocab_size=len(tokenizer), hidden_act="gelu")
    model = fixture.save(eager(transformers.BertModel, config, fixture.name))
    pooled_by_mean(fixture)
    fixture.told["input"] = TEXT
    tell_tokens(fixture, tokenizer)
    fixture.compute(model, encode(model, tokenizer(TEXT, return_tensors="pt"), vector=mean_vector))
    fixture.write()


def mean_vector(out: Any) -> Tensor:
    return torch.nn.functional.normalize(out.last_hidden_state.mean(dim=1), dim=-1)


def pooled_by_mean(fixture: Fixture) -> None:
    """The files that sentence-transformers adds: mean pooling, and length 1."""
    kinds = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(kinds.items())
    ]
    (fixture.folder / "modules.json").write_text(json.dumps(modules, indent=1), encoding="utf-8")
    modes = dict.fromkeys(("cls_token", "max_tokens", "mean_sqrt_len_tokens"), False) | {"mean_tokens": True}
    pooling = {"word_embedding_dimension": 16, **{f"pooling_mode_{name}": on for name, on in modes.items()}}
    (fixture.folder / "1_Pooling").mkdir()
    (fixture.folder / "1_Pooling/config.json").write_text(json.dumps(pooling, indent=1), encoding="utf-8")


def distilbert(kind: str) -> None:
    fixture = Fixture(f"distilbert-{kind}")
    tokenizer = wordpiece(fixture.folder)
    sizes = {"dim": 16, "n_layers": 2, "n_heads": 4, "hidden_dim": 24, "max_position_embeddings": 40}
    config = transformers.DistilBertConfig(**sizes, vocab_size=len(tokenizer), num_labels=2)
    made = transformers.DistilBertForMaskedLM if kind == "masked" else transformers.DistilBertForSequenceClassification
    model = fixture.save(eager(made, config, fixture.name))
    fixture.told["input"] = "The cat [MASK] on the mat." if kind == "masked" else TEXT
    tell_tokens(fixture, tokenizer)
    inputs = tokenizer(fixture.told["input"], return_tensors="pt", return_token_type_ids=False)
    fixture.compute(model, encode(model, inputs))
    fixture.write()


def electra(kind: str) -> None:
    """Tables of another width than the layers, and a head that has gelu, whatever the layers have."""
    fixture = Fixture(f"electra-{kind}")
    tokenizer = wordpiece(fixture.folder)
    config = transformers.ElectraConfig(
        **SMALL, vocab_size=len(tokenizer), embedding_size=6, hidden_act="relu", num_labels=2
    )
    made = {
        "generator": transformers.ElectraForMaskedLM,
        "classifier": transformers.ElectraForSequenceClassification,
    }[kind]
    model = fixture.save(eager(made, config, fixture.name))
    fixture.told["input"] = "The cat [MASK] on the mat." if kind == "generator" else TEXT
    tell_tokens(fixture, tokenizer)
    fixture.compute(model, encode(model, tokenizer(fixture.told["input"], return_tensors="pt")))
    fixture.write()


def roberta(kind: str) -> None:
    fixture = Fixture(f"roberta-{kind}")
    tokenizer = byte_level(fixture.folder, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"], roberta=True)
    config = transformers.RobertaConfig(
        **BERT, vocab_size=len(tokenizer), type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2
    )
    made = transformers.RobertaForMaskedLM if kind == "masked" else transformers.RobertaForSequenceClassification
    model = fixture.save(eager(made, config, fixture.name))
    fixture.told["input"] = "The cat<mask> on the mat." if kind == "masked" else TEXT
    tell_tokens(fixture, tokenizer)
    fixture.compute(model, encode(model, tokenizer(fixture.told["input"], return_tensors="pt")))
    fixture.write()


GENERATIONS: dict[str, dict[str, Any]] = {
    "greedy": {"num_beams": 1},
    "beam": {"num_beams": 3, "length_penalty": 1.0},
    "short beam": {"num_beams": 4, "length_penalty": 0.0},
    "long beam": {"num_beams": 2, "length_penalty": 2.0},
}
MOST_NEW = 8


def tell_generations(fixture: Fixture, model: Any, inputs: Any) -> None:
    fixture.told["generated"] = []
    for name, how in GENERATIONS.items():
        with torch.no_grad():
            found = model.generate(**inputs, do_sample=False, max_new_tokens=MOST_NEW, **how)
        fixture.told["generated"].append({"name": name, **how, "tokens": found[0].tolist()})


def continuing(fixture: Fixture, tokenizer: Any, model: Any, text: str = TEXT, **how: Any) -> None:
    fixture.save(model, **how)
    fixture.told["input"] = text
    tell_tokens(fixture, tokenizer)
    inputs = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
    tell_generations(fixture, model, inputs)
    fixture.compute(model, encode(model, inputs))
    fixture.write()


def xlm_roberta() -> None:
    """Sentence pieces in tokenizer.json."""
    fixture = Fixture("xlm-roberta")
    unigram(fixture.folder, "sentencepiece.bpe")
    tokenizer = transformers.XLMRobertaTokenizer.from_pretrained(fixture.folder)
    tokenizer.save_pretrained(fixture.folder)
    config = transformers.XLMRobertaConfig(
        **SMALL, vocab_size=len(tokenizer), type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2
    )
    model = fixture.save(eager(transformers.XLMRobertaForMaskedLM, config, fixture.name))
    fixture.told["input"] = "The cat <mask> on the mat."
    tell_tokens(fixture, tokenizer)
    fixture.compute(model, encode(model, tokenizer(fixture.told["input"], return_tensors="pt")))
    fixture.write()


def mpnet() -> None:
    """With the files of sentence-transformers, as all-mpnet-base-v2."""
    fixture = Fixture("mpnet")
    numbers = trained_word_pieces(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]).get_vocab()
    tokenizer = transformers.MPNetTokenizer(vocab=numbers)
    tokenizer.save_pretrained(fixture.folder)
    config = transformers.MPNetConfig(**SMALL, vocab_size=len(numbers), pad_token_id=1, bos_token_id=0, eos_token_id=2)
    model = fixture.save(eager(transformers.MPNetModel, config, fixture.name))
    pooled_by_mean(fixture)
    fixture.told["input"] = TEXT
    tell_tokens(fixture, tokenizer)
    inputs = tokenizer(TEXT, return_tensors="pt", return_token_type_ids=False)
    fixture.compute(model, encode(model, inputs, vector=mean_vector))
    fixture.write()


def gpt2() -> None:
    fixture = Fixture("gpt2")
    tokenizer = byte_level(fixture.folder, ["<|endoftext|>"])
    end = tokenizer.eos_token_id
    sizes = {"n_embd": 16, "n_layer": 2, "n_head": 4, "n_positions": 40}
    ends = {"bos_token_id": end, "eos_token_id": end}
    config = transformers.GPT2Config(**sizes, **ends, vocab_size=len(tokenizer))
    model = eager(transformers.GPT2LMHeadModel, config, fixture.name)
    with torch.no_grad():
        model.transformer.ln_f.bias.zero_()  # its head is tied: it would only repeat itself
        model.transformer.wpe.weight *= 3
    continuing(fixture, tokenizer, model)


def llama() -> None:
    """Sharded, with two heads for each key, and a tokenizer that falls back to bytes."""
    fixture = Fixture("llama")
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    special = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256))]
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=340, special_tokens=special))
    content = json.loads(tokenizer.to_str())
    content["added_tokens"] = [token for token in content["added_tokens"] if not token["content"].startswith("<0x")]
    tokenizer = Tokenizer.from_str(json.dumps(content))
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    start = [("<s>", tokenizer.token_to_id("<s>"))]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=start
    )
    named = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=40, **named)
    made.save_pretrained(fixture.folder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    config = transformers.LlamaConfig(
        **sizes,
        intermediate_size=24,
        vocab_size=len(made),
        max_position_embeddings=64,
        bos_token_id=1,
        eos_token_id=2,
        tie_word_embeddings=False,
    )
    model = eager(transformers.LlamaForCausalLM, config, fixture.name)
    with torch.no_grad():
        model.lm_head.weight[config.eos_token_id] *= 4  # so that some sentences end
    fixture.told["llama3"] = slowed_frequencies(sizes)
    continuing(fixture, made, model, max_shard_size="24KB")


def slowed_frequencies(sizes: dict[str, Any]) -> dict[str, Any]:
    """How Llama 3 slows down the slow ones, in float32."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    factors = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    rope = {"rope_type": "llama3", "rope_theta": 500000.0, "original_max_position_embeddings": 64, **factors}
    config = transformers.LlamaConfig(**{**sizes, "hidden_size": 64}, rope_parameters=rope, max_position_embeddings=512)
    found, _ = ROPE_INIT_FUNCTIONS["llama3"](config, "cpu")
    return {"rope_parameters": rope, "width": 16, "frequencies": found.tolist()}


ROTARY: dict[str, Any] = {
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 4,
    "intermediate_size": 12,
    "max_position_embeddings": 64,
}


def qwen2() -> None:
    """Biases, heads that share their keys, and a tied head."""
    fixture = Fixture("qwen2")
    tokenizer = byte_level(fixture.folder, ["<|endoftext|>"])
    end = tokenizer.eos_token_id
    ends = {"bos_token_id": end, "eos_token_id": end, "tie_word_embeddings": True}
    config = transformers.Qwen2Config(**ROTARY, **ends, vocab_size=len(tokenizer))
    model = eager(transformers.Qwen2ForCausalLM, config, fixture.name)
    continuing(fixture, tokenizer, talkative(model, "o_proj.weight", "down_proj.weight"), SHORT)


def qwen3() -> None:
    """Queries and keys are normalised in each head; all heads together are wider than the model."""
    fixture = Fixture("qwen3")
    tokenizer = byte_level(fixture.folder, ["<|endoftext|>"])
    end = tokenizer.eos_token_id
    ends = {"bos_token_id": end, "eos_token_id": end, "tie_word_embeddings": True}
    config = transformers.Qwen3Config(**ROTARY, **ends, vocab_size=len(tokenizer))
    model = eager(transformers.Qwen3ForCausalLM, config, fixture.name)
    continuing(fixture, tokenizer, talkative(model, "o_proj.weight", "down_proj.weight"), SHORT)


def gemma() -> None:
    """Gains around 0, which 1 is added to, and an embedding that is made four times as large."""
    fixture = Fixture("gemma")
    tokenizer = byte_level(fixture.folder, ["<|endoftext|>"])
    end = tokenizer.eos_token_id
    ends = {"bos_token_id": end, "eos_token_id": end, "pad_token_id": end}
    config = transformers.GemmaConfig(**{**ROTARY, "hidden_size": 16}, **ends, vocab_size=len(tokenizer))
    model = eager(transformers.GemmaForCausalLM, config, fixture.name)
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if key.endswith("norm.weight"):
                parameter -= 1
    continuing(fixture, tokenizer, talkative(model, "o_proj.weight", "down_proj.weight"), SHORT)


def phi3() -> None:
    """Queries, keys and values in one tensor, and a window that slides along."""
    fixture = Fixture("phi3")
    tokenizer = byte_level(fixture.folder, ["<|endoftext|>"])
    end = tokenizer.eos_token_id
    ends = {"bos_token_id": end, "eos_token_id": end, "pad_token_id": end, "tie_word_embeddings": False}
    sizes = {**{name: size for name, size in ROTARY.items() if name != "head_dim"}, "num_attention_heads": 2}
    config = transformers.Phi3Config(
        **{**sizes, "num_key_value_heads": 1}, **ends, vocab_size=len(tokenizer), sliding_window=32
    )
    continuing(fixture, tokenizer, eager(transformers.Phi3ForCausalLM, config, fixture.name), SHORT)


def mistral() -> None:
    """A window that slides along, of the size of the longest text that is read."""
    fixture = Fixture("mistral")
    tokenizer = byte_level(fixture.folder, ["<|endoftext|>"])
    end = tokenizer.eos_token_id
    ends = {"bos_token_id": end, "eos_token_id": end, "tie_word_embeddings": False}
    config = transformers.MistralConfig(**ROTARY, **ends, vocab_size=len(tokenizer), sliding_window=32)
    continuing(fixture, tokenizer, eager(transformers.MistralForCausalLM, config, fixture.name), SHORT)


def photograph() -> Image.Image:
    """Waves of colour, 37 × 29 pixels."""
    y, x = np.mgrid[0:29, 0:37]
    colours = [np.sin(x / 3) + y / 20, np.cos(y / 4 + x / 9), np.sin((x + 2 * y) / 7)]
    pixels = np.stack([255 * (c - c.min()) / (c.max() - c.min()) for c in colours], axis=-1)
    return Image.fromarray(pixels.round().astype(np.uint8))


VIT: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "image_size": 12,
    "patch_size": 4,
    "id2label": {0: "tabby cat", 1: "golden retriever", 2: "teapot", 3: "school bus"},
    "label2id": {},
}


def seeing(name: str, kind: Any, config: Any, processor: Any) -> None:
    fixture = Fixture(name)
    model = fixture.save(eager(kind, config, name))
    processor.save_pretrained(fixture.folder)
    photograph().save(HERE / "photograph.png")
    pixels = torch.from_numpy(np.asarray(processor(photograph())["pixel_values"]))
    whole = np.asarray(processor(photograph(), do_rescale=False, do_normalize=False)["pixel_values"])
    mean, spread = (np.array(values)[:, None, None] for values in (processor.image_mean, processor.image_std))
    exact = torch.from_numpy((whole / 255 - mean) / spread)  # it would be rounded to float32
    assert (pixels - exact).abs().max() < 1e-6

    def run() -> dict[str, Any]:
        given = exact if model.dtype == exact.dtype else pixels
        return {"pixels": given, **encode(model, {"pixel_values": given})()}

    fixture.compute(model, run)
    fixture.write()


def vit() -> None:
    from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

    processor = ViTImageProcessorPil(size={"height": 12, "width": 12})
    seeing("vit", transformers.ViTForImageClassification, transformers.ViTConfig(**VIT), processor)


def deit(kind: str) -> None:
    from transformers.models.deit.image_processing_pil_deit import DeiTImageProcessorPil

    processor = DeiTImageProcessorPil(
        size={"height": 16, "width": 16}, crop_size={"height": 12, "width": 12}, image_std=[0.229, 0.224, 0.225]
    )
    made = {
        "deit": transformers.DeiTForImageClassificationWithTeacher,
        "deit-one-head": transformers.DeiTForImageClassification,
    }
    sizes = VIT if kind == "deit" else {**VIT, "hidden_size": 8, "intermediate_size": 12}
    seeing(kind, made[kind], transformers.DeiTConfig(**sizes), processor)


def drawing() -> None:
    """A ViT of one colour on a board of 8 × 8: its input is greys from 0 to 1, as they are drawn."""
    from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

    fixture = Fixture("vit-drawing")
    sizes = {"image_size": 8, "patch_size": 2, "num_channels": 1}
    model = fixture.save(
        eager(transformers.ViTForImageClassification, transformers.ViTConfig(**{**VIT, **sizes}), "vit-drawing")
    )
    ViTImageProcessorPil(size={"height": 8, "width": 8}, image_mean=[0.4], image_std=[0.3]).save_pretrained(
        fixture.folder
    )
    y, x = np.mgrid[0:8, 0:8]
    greys = ((x * 5 + y * 3) % 11) / 10
    fixture.told["input"] = "; ".join(" ".join(map(str, row)) for row in greys.tolist())
    exact = torch.from_numpy((greys - 0.4) / 0.3)[None, None]

    def run() -> dict[str, Any]:
        given = exact.to(model.dtype)
        return {"pixels": given, **encode(model, {"pixel_values": given})()}

    fixture.compute(model, run)
    fixture.write()


RULES = {"ﬁ": "fi", "\u00a0": " ", "\u200b": " ", "e\u0301": "é", "…": "...", "\t": " ", "\n": " ", "\u00ad": ""}
"""A few of the many by which a sentence-piece model normalises texts; all of them would be a quarter of a megabyte."""


def _hex(text: str) -> str:
    return " ".join(f"{ord(character):X}" for character in text)


def unigram(folder: Path, name: str = "spiece", **how: Any) -> Any:
    """A sentence-piece model of few pieces, with a few rules."""
    rules = folder / "rules.tsv"
    rules.write_text("".join(f"{_hex(old)}\t{_hex(new)}\n" for old, new in RULES.items()), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS * 3),
        model_prefix=str(folder / name),
        vocab_size=55,
        minloglevel=2,
        normalization_rule_tsv=str(rules),
        **how,
    )
    rules.unlink()
    (folder / f"{name}.vocab").unlink()
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.model"))


def sentence_pieces(folder: Path) -> Any:
    """Marian's files: a sentence-piece model for each side, and one vocabulary for both."""
    pieces: dict[str, int] = {"</s>": 0, "<unk>": 1}
    for side in ("source", "target"):
        model = unigram(folder, side)
        (folder / f"{side}.model").rename(folder / f"{side}.spm")
        for i in range(model.get_piece_size()):
            if not model.is_control(i) and not model.is_unknown(i):
                pieces.setdefault(model.id_to_piece(i), len(pieces))
    pieces["<pad>"] = len(pieces)
    (folder / "vocab.json").write_text(json.dumps(pieces), encoding="utf-8")
    files = {"source_spm": folder / "source.spm", "target_spm": folder / "target.spm", "vocab": folder / "vocab.json"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return transformers.MarianTokenizer(**{key: str(file) for key, file in files.items()})


def translating(fixture: Fixture, tokenizer: Any, model: Any, start: int) -> None:
    """What an encoder–decoder makes of a text, with a target that is known, and what it writes."""
    fixture.told["input"] = TEXT
    tell_tokens(fixture, tokenizer)
    inputs = tokenizer(TEXT, return_tensors="pt")
    target = torch.tensor([[start, 7, 12, 20, 9]])
    fixture.told["target"] = target[0].tolist()

    def run() -> dict[str, Any]:
        with torch.no_grad():
            out = model(
                **inputs, decoder_input_ids=target, output_hidden_states=True, output_attentions=True, use_cache=False
            )
        return {
            "encoder": out.encoder_hidden_states,
            "decoder": out.decoder_hidden_states,
            "attention": out.encoder_attentions,
            "self_attention": out.decoder_attentions,
            "cross_attention": out.cross_attentions,
            "logits": out.logits,
        }

    tell_generations(fixture, model, inputs)
    fixture.compute(model, run)
    fixture.write()


def t5(gated: bool) -> None:
    """Ten buckets for distances up to 6, so that some share one; all heads together are wider than the model.

    Since version 1.1 there is a gate, and a head of its own, which transformers has only if a file says so.
    """
    fixture = Fixture("flan-t5" if gated else "t5")
    unigram(fixture.folder, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    tokenizer = transformers.T5Tokenizer.from_pretrained(fixture.folder, extra_ids=3)
    tokenizer.save_pretrained(fixture.folder)
    sizes = {"d_model": 8, "d_kv": 3, "d_ff": 10, "num_layers": 2, "num_heads": 4}
    near = {"relative_attention_num_buckets": 10, "relative_attention_max_distance": 6}
    ends = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
    kind = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False} if gated else {}
    config = transformers.T5Config(**sizes, **near, **ends, vocab_size=len(tokenizer) + 5, **kind)
    config._attn_implementation = "eager"
    model = transformers.T5ForConditionalGeneration(config)
    if gated:
        model.lm_head.weight = torch.nn.Parameter(torch.zeros_like(model.lm_head.weight))
    talkative(lively(model, fixture.name), ".o.weight", ".wo.weight")
    with torch.no_grad():
        model.lm_head.weight[config.eos_token_id] *= 1.6  # so that some sentences end
    fixture.save(model)
    if gated:
        fixture.change_config(tie_word_embeddings=False, scale_decoder_outputs=None)  # as files of the time are
    translating(fixture, tokenizer, model, start=0)


def marian() -> None:
    fixture = Fixture("marian")
    tokenizer = sentence_pieces(fixture.folder)
    settings = {"source_lang": "en", "target_lang": "de", "model_max_length": 40}
    (fixture.folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    padding = tokenizer.pad_token_id
    sides = {
        f"{side}_{what}": size
        for side in ("encoder", "decoder")
        for what, size in (("layers", 2), ("attention_heads", 4), ("ffn_dim", 24))
    }
    config = transformers.MarianConfig(
        **sides,
        d_model=16,
        vocab_size=len(tokenizer.encoder),
        max_position_embeddings=40,
        activation_function="swish",
        scale_embedding=True,
        pad_token_id=padding,
        eos_token_id=0,
        forced_eos_token_id=0,
        decoder_start_token_id=padding,
    )
    model = eager(transformers.MarianMTModel, config, fixture.name)
    model.final_logits_bias.normal_(generator=torch.Generator().manual_seed(5))
    model.final_logits_bias[0, 0] += 0.5  # so that some sentences end
    model.generation_config.bad_words_ids = [[padding]]
    fixture.save(model)
    translating(fixture, tokenizer, model, start=padding)


MAKERS: dict[str, Callable[[], None]] = {
    "bert-masked": bert_masked,
    "bert-classifier": bert_classifier,
    "minilm": minilm,
    "distilbert-masked": partial(distilbert, "masked"),
    "distilbert-classifier": partial(distilbert, "classifier"),
    "roberta-masked": partial(roberta, "masked"),
    "roberta-classifier": partial(roberta, "classifier"),
    "xlm-roberta": xlm_roberta,
    "mpnet": mpnet,
    "electra-generator": partial(electra, "generator"),
    "electra-classifier": partial(electra, "classifier"),
    "gpt2": gpt2,
    "llama": llama,
    "qwen2": qwen2,
    "qwen3": qwen3,
    "mistral": mistral,
    "gemma": gemma,
    "phi3": phi3,
    "vit": vit,
    "deit": partial(deit, "deit"),
    "deit-one-head": partial(deit, "deit-one-head"),
    "vit-drawing": drawing,
    "marian": marian,
    "t5": partial(t5, gated=False),
    "flan-t5": partial(t5, gated=True),
}


def main() -> None:
    """All of them, or those that are named."""
    HERE.mkdir(exist_ok=True)
    for name in sys.argv[1:] or MAKERS:
        MAKERS[name]()


if __name__ == "__main__":
    main()
