"""Why a layer is built as it is: residuals, norms, the feed-forward network; and what stacks of layers are for."""

from __future__ import annotations

from txviz.nets.why.finding import by_input, has, has_block
from txviz.trace.outline import Node
from txviz.trace.why import Page, explain

_PLACE_OF_NORM = (
    "The norm stands {pre_norm} (pre-norm), which trains more easily; in the paper it stands after the sum.",
    "The norm stands {post_norm} (post-norm), as in the paper.",
    "There is {one_sum}, at the end of the layer; the paper has one after attention, too.",
)

_ENCODER = by_input(
    text=Page(
        "The encoder reads the whole sentence at once. It gives each token a vector that holds not only its meaning "
        "and its place, but also how it relates to the other words, which attention has brought in.",
        (
            "“Bank” is one row of the table; after the encoder it is another vector beside a river than beside money.",
            "The sentence is known as a whole, so every token may look at every other, before and after it.",
        ),
        (
            "{layers} with {learned}; the paper has 6 layers.",
            "Its output for {source_tokens} is computed once, and every decoder layer reads it at every time step.",
        ),
    ),
    vision=Page(
        "The encoder turns patches that know only their own pixels into patches that know the image. Its layers are "
        "built exactly like those of a text encoder.",
        (
            "Early layers tend to see edges and near things, middle ones parts, late ones the whole; that is a "
            "tendency, and nobody arranges it.",
            "No hand-made features: it is all learned from examples.",
            "It has no built-in sense of nearness, as convolutions have, and no hierarchy of pooling layers, so it "
            "needs more data and longer training, and fine detail is harder for it.",
        ),
        ("{layers} with {learned}; ViT-Base has 12 layers and 86 million numbers.",),
    ),
)

_LAYER = Page(
    "A layer does two things in turn: in attention the {tokens} exchange what they know, in the feed-forward network "
    "each one thinks it over by itself. Both only add to the {token}'s vector.",
    (
        "One round of looking around is not enough: the next layer looks with what this one found.",
        "In and out have the same shape, so layers can be stacked as high as one likes.",
    ),
    ("This is {layer}, with {learned}.", *_PLACE_OF_NORM),
)

_GUIDE_LAYER = Page(
    "The guide's layer does two things in turn: in attention the {tokens} exchange what they know, and its result goes "
    "straight into the feed-forward network. Only then is the {token}'s own vector added, and all normalised.",
    (
        "The paper adds and normalises twice, after attention, too, so that a {token} meets the network with its own "
        "meaning.",
        "In and out have the same shape, so that layers can be stacked; the guide computes one.",
    ),
    ("The layer has {learned}.",),
)


def _layer(node: Node) -> Page:
    return _LAYER if has(node, "residual_1") else _GUIDE_LAYER


_DECODER_LAYER = Page(
    "A decoder layer asks three times: what has been written so far (masked self-attention), what does the source say "
    "(cross-attention), and what follows from both (feed-forward network).",
    (
        "The order matters: first it must know what it has said, then it can ask the source for what is missing.",
        "Each of the three adds to the vectors, and none replaces them.",
    ),
    ("This is {layer}, with {learned}.", *_PLACE_OF_NORM),
)

_WRITER_LAYER = Page(
    "A layer of a model that only writes does two things: masked self-attention gathers from what has been written so "
    "far, and the feed-forward network makes something of it, token by token.",
    (
        "There is no encoder to ask, so there is no cross-attention.",
        "In and out have the same shape, so layers can be stacked.",
    ),
    ("This is {layer}, with {learned}.", *_PLACE_OF_NORM),
)

_MASK_LAYER = Page(
    "The guide shows one piece of one layer: the table of masked self-attention. A whole layer would go on with a "
    "residual, a norm and a feed-forward network, as in the other models here.",
    ("One head of one layer is enough to see what the mask does, since it does the same in all of them.",),
)


def _decoder_layer(node: Node) -> Page:
    if has_block(node, "cross_attention"):
        return _DECODER_LAYER
    return _WRITER_LAYER if has_block(node, "ffn") else _MASK_LAYER


_DECODER = Page(
    "The decoder writes the target. It reads what has been written so far, asks the encoder's output what the source "
    "says, and ends with a vector after each token, from which the next one is predicted.",
    (
        "It must not look ahead, so its self-attention is masked.",
        "It starts from <SOS> alone, so that there is something to read before the first word.",
    ),
    (
        "{layers} with {learned}.",
        "It looks at {source_tokens} of the source, whose vectors the encoder computed once.",
    ),
)

_WRITER = Page(
    "The stack that does all the work of a model that only writes: from what has been written so far it makes a vector "
    "after each token, and from the last of them the next token is predicted.",
    (
        "Prompt and answer stand in one line, so one kind of attention is enough.",
        "The mask keeps it honest: no place sees what comes after it.",
    ),
    ("{layers} with {learned}.",),
    "GPT and its kin are this stack, with up to a hundred layers or more.",
)

_MASK_ONLY = Page(
    "A decoder is the part of a model that writes, and its first block is masked self-attention. The guide shows that "
    "block alone, as a table of who looks at whom.",
    (
        "The output at a place may depend only on the words up to there: the model must not see future words.",
        "Everything else of a decoder is left out here, so that the mask can be seen by itself.",
    ),
)


def _decoder(node: Node) -> Page:
    if has_block(node, "cross_attention"):
        return _DECODER
    return _WRITER if has_block(node, "ffn") else _MASK_ONLY


_RESIDUAL = Page(
    "What {sublayer} found is added to the vectors that went in, and does not replace them: each {token} keeps what it "
    "had.",
    (
        "Nothing is lost: a block that finds nothing useful can leave everything as it was.",
        "A block has to learn only what to change.",
        "Through a sum the gradient flows back unchanged, so that deep stacks can learn.",
    ),
    (
        "All blocks write into vectors of {d_model} numbers; in the paper 512.",
        "There is {one_sum}, at the end of the layer.",
    ),
)
_NORM = Page(
    "A layer norm brings the numbers of each {token} to mean 0 and variance 1. This one belongs to {sublayer}.",
    (
        "Sums of many blocks grow; without norms the numbers would run away in deep stacks.",
        "Each {token} is normalised by itself, whatever the others or the length of the input.",
        "A learned gain and bias, where the model has them, set the scale anew.",
    ),
    _PLACE_OF_NORM,
)

explain("encoder decoder", {"residual_1": _RESIDUAL, "residual_2": _RESIDUAL, "norm_1": _NORM, "norm_2": _NORM})
explain("decoder", {"residual_3": _RESIDUAL, "norm_3": _NORM})

explain(
    "encoder",
    {
        "": _ENCODER,
        "layer": _layer,
        "norm": Page(
            "The encoder's output: for each {token} a vector that holds its meaning, its position and its interaction "
            "with all the others. The norm brings it to one scale for whoever reads it.",
            ("With norms before the blocks, the last sum has not been normalised by anybody; this step does it.",),
            (
                "{length}, {d_model} numbers each.",
                "For {source_tokens} it is computed once; cross-attention of every decoder layer reads it again at "
                "every time step.",
            ),
        ),
    },
)
explain(
    "decoder",
    {
        "": _decoder,
        "layer": _decoder_layer,
        "norm": Page(
            "The decoder's output: after each token a vector that says, in the model's own terms, what should come "
            "next. The head compares it with every entry of the vocabulary.",
            (
                "With norms before the blocks, the last sum has not been normalised by anybody; this step does it.",
                "While writing only the last row is needed; while training all of them are.",
            ),
            ("Vectors of {d_model} numbers.",),
        ),
    },
)
explain(
    "ffn",
    {
        "": Page(
            "Attention only mixes: a weighted mean can't make anything new of what it gathers. The feed-forward "
            "network does that, for each {token} by itself: expand, activate, contract.",
            (
                "In the wider space it can ask many small questions of a vector at once, and keep the answers that "
                "apply.",
                "The activation in the middle (ReLU or GELU) is what makes it more than a matrix.",
                "All {tokens} share its weights, so it costs the same at any place.",
            ),
            ("{d_model} → {d_ff} → {d_model}, with {learned}; in the paper 512 → 2048 → 512.",),
            "In large models most of the learned numbers are in these networks.",
        ),
        "product": Page(
            "The first layer of the feed-forward network, without its bias: the guide adds the bias in a line of its "
            "own, so here it has a step of its own. Each column of W₁ is one question that is asked of every {token}.",
            ("A high number says that the pattern of that column is there.",),
            ("{d_model} numbers become {d_ff}, {wider} times as many; in practice it is 4 times.",),
        ),
        "hidden": Page(
            "The first layer of the feed-forward network widens each vector. Each of the new features answers to one "
            "pattern in the {token}, which was learned.",
            (
                "More room lets patterns be told apart that lie on top of each other in the narrow vector.",
                "The bias shifts how strong a pattern must be to count.",
            ),
            ("{d_model} numbers become {d_ff}, {wider} times as many; in the paper 512 become 2048, 4 times.",),
        ),
        "activation": Page(
            "Numbers below 0 become 0 or nearly so, and the others pass. A pattern that was not found is thus silent "
            "and does not count against the others.",
            (
                "Without it the two layers would be one matrix, and could do no more than one.",
                "With it many small pieces can be put together to almost any function.",
                "ReLU cuts sharply at 0; GELU, as in GPT and ViT, bends smoothly.",
            ),
        ),
        "output": Page(
            "The second layer brings what was found back to the model's width, so that it can be added to the "
            "{token}'s vector. Each pattern that was there writes its own row of W₂.",
            (
                "So the network works like a memory: a pattern on the left, what to add for it on the right.",
                "The same width in and out keeps the layers stackable.",
            ),
            ("{d_ff} numbers become {d_model}.",),
        ),
    },
)
