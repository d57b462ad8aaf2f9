"""Makes checkpoints/padding.*: what transformers makes of texts that are filled up with padding.

It reads the tiny checkpoints that make_checkpoints.py has made, in the same throwaway environment:

    python -m tests.reference.make_padding

    padding.safetensors   <name>/<what>, in float64: the last hidden states and attentions, the logits or the vector
    padding.json          <name>: the input, the length, and the three arrays that the tokenizer gives
"""

from __future__ import annotations

import json
from typing import Any

import torch
import transformers
from safetensors.torch import save_file
from torch import Tensor

from tests.reference.make_checkpoints import HERE, in_double, really_double

MORE = 5
"""Tokens of padding."""

MODELS = {
    "bert-masked": transformers.BertForMaskedLM,
    "bert-classifier": transformers.BertForSequenceClassification,
    "minilm": transformers.BertModel,
    "distilbert-masked": transformers.DistilBertForMaskedLM,
    "distilbert-classifier": transformers.DistilBertForSequenceClassification,
    "roberta-masked": transformers.RobertaForMaskedLM,
    "roberta-classifier": transformers.RobertaForSequenceClassification,
    "xlm-roberta": transformers.XLMRobertaForMaskedLM,
    "mpnet": transformers.MPNetModel,
    "electra-generator": transformers.ElectraForMaskedLM,
    "electra-classifier": transformers.ElectraForSequenceClassification,
}


def read(name: str) -> tuple[Any, Any]:
    """The input of the checkpoint, and what the tokenizer makes of it with padding."""
    source = json.loads((HERE / f"{name}.json").read_text("utf-8"))["input"]
    tokenizer = transformers.AutoTokenizer.from_pretrained(HERE / name)
    texts = [source] if isinstance(source, str) else source
    length = len(tokenizer(*texts)["input_ids"]) + MORE
    how = {"padding": "max_length", "max_length": length, "return_token_type_ids": name[:4] in ("bert", "mini", "elec")}
    return source, tokenizer(*texts, return_tensors="pt", **how)


def computed(name: str, inputs: Any) -> dict[str, Tensor]:
    model = MODELS[name].from_pretrained(HERE / name, attn_implementation="eager")
    model.eval()
    in_double(model)
    with really_double(), torch.no_grad():
        out = model(**inputs, output_hidden_states=True, output_attentions=True)
    found = {"hidden": out.hidden_states[-1], "attention": out.attentions[-1]}
    if name not in ("minilm", "mpnet"):
        return {**found, "logits": out.logits}
    real = inputs["attention_mask"][..., None]
    mean = (out.last_hidden_state * real).sum(dim=1) / real.sum(dim=1)  # as sentence-transformers pools
    return {**found, "vector": torch.nn.functional.normalize(mean, dim=-1)}


def main() -> None:
    tensors, told = {}, {}
    for name in MODELS:
        source, inputs = read(name)
        told[name] = {"input": source, **{key: value[0].tolist() for key, value in inputs.items()}}
        for what, value in computed(name, inputs).items():
            assert value.dtype == torch.float64
            tensors[f"{name}/{what}"] = value[0].contiguous()
    save_file(tensors, HERE / "padding.safetensors")
    (HERE / "padding.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
