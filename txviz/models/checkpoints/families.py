"""Which checkpoints can be run: the only list of them."""

from __future__ import annotations

FAMILIES = {
    "bert": ("bert", "BertModel", "BertForMaskedLM", "BertForSequenceClassification"),
    "distilbert": ("distilbert", "DistilBertModel", "DistilBertForMaskedLM", "DistilBertForSequenceClassification"),
    "roberta": ("roberta", "RobertaModel", "RobertaForMaskedLM", "RobertaForSequenceClassification"),
    "xlm-roberta": ("roberta", "XLMRobertaModel", "XLMRobertaForMaskedLM", "XLMRobertaForSequenceClassification"),
    "mpnet": ("mpnet", "MPNetModel", "MPNetForMaskedLM", "MPNetForSequenceClassification"),
    "electra": ("electra", "ElectraModel", "ElectraForMaskedLM", "ElectraForSequenceClassification"),
    "gpt2": ("gpt2", "GPT2LMHeadModel"),
    "llama": ("llama", "LlamaForCausalLM"),
    "mistral": ("llama", "MistralForCausalLM"),
    "qwen2": ("llama", "Qwen2ForCausalLM"),
    "qwen3": ("llama", "Qwen3ForCausalLM"),
    "gemma": ("gemma", "GemmaForCausalLM"),
    "phi3": ("phi3", "Phi3ForCausalLM"),
    "vit": ("vit", "ViTForImageClassification"),
    "deit": ("vit", "DeiTForImageClassification", "DeiTForImageClassificationWithTeacher"),
    "marian": ("marian", "MarianMTModel"),
    "t5": ("t5", "T5ForConditionalGeneration"),
}
"""By the model type of a configuration: the module here, and the architectures that can be run."""

WRITERS = "ForCausalLM"
"""How most of those are called that go on with a text."""


def supported() -> str:
    """For the sentence that refuses a model: each by its name, and those together that come in the same kinds."""
    stems: dict[tuple[str, ...], list[str]] = {}
    for _, *names in FAMILIES.values():
        stem = names[0].removesuffix("Model" if len(names) > 1 else WRITERS)
        stem = "" if stem == names[0] else stem
        stems.setdefault(tuple(name.removeprefix(stem) for name in names), []).append(stem)
    return f"what can be run is {', '.join(_named(found, kinds) for kinds, found in stems.items())}"


def _named(stems: list[str], kinds: tuple[str, ...]) -> str:
    """
    >>> _named(["Bert", "Roberta"], ("Model", "ForMaskedLM")), _named(["DeiT"], ("ForA", "ForB"))
    ('Bert or Roberta (Model, ForMaskedLM)', 'DeiTForA, DeiTForB')
    """
    if len(stems) > 1:
        return f"{', '.join(stems[:-1])} or {stems[-1]} ({', '.join(kinds)})"
    return ", ".join(stems[0] + kind for kind in kinds)
