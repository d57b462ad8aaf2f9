"""Why there is cross-attention: the target asks, the source answers."""

from __future__ import annotations

from txviz.nets.why.attention import HEADS
from txviz.trace.why import Page, explain

explain(
    "cross_attention",
    {
        "": Page(
            "The target asks, the source answers: queries come from the decoder, keys and values from the encoder's "
            "output. So every word that is written can look at every word of the source.",
            (
                "The weights say how much each source token counts for the next target token.",
                "The encoder's output was computed once; each time step and layer asks it anew.",
            ),
            (*HEADS, "Tokens of the target: {queries}; of the source: {keys}."),
            "In dialogue the user's words ask the conversation so far, in RAG a question asks pieces of a knowledge "
            "base, in a chatbot a request asks the functions at hand, in image captions words ask patches. Many models "
            "now put all that into the prompt and use self-attention.",
        ),
        "query_projection": Page(
            "The question of the target: what each token that has been written so far wants to know from the source in "
            "order to predict the next word.",
            (
                "It is made from the decoder's own vectors, by a matrix W_Q that is learned for this purpose.",
                "Self-attention came first: the question already knows what was said before.",
            ),
            ("Questions asked at once: {queries}.",),
            "In dialogue this is what the user says now, in RAG the question, in a chatbot the request.",
        ),
        "key_projection": Page(
            "What each token of the source offers to be found by when the target asks. The keys are made from the "
            "encoder's output, computed once: in them a word stands with its meaning, its place and its neighbours.",
            (
                "They do not depend on what has been written, so they are the same at every time step.",
                "Each decoder layer has a W_K of its own, so each can look for something else.",
            ),
            ("{keys} keys, one for each token of the source.",),
            "In dialogue this is the conversation so far, in RAG the pieces of the knowledge base, in a chatbot the "
            "functions that can be called.",
        ),
        "value_projection": Page(
            "What each token of the source tells when it is asked. The values are made from the encoder's output, and "
            "they are all that ever crosses from the source to the target.",
            (
                "How much of each is taken, the weights decide; what is in it, W_V decides.",
                "Like the keys they are the same at every time step.",
            ),
            ("{keys} values, one for each token of the source.",),
            "In dialogue these are the answers that fit, in RAG the facts that are found, in a chatbot the data that a "
            "function returned.",
        ),
        "query": Page(
            "The questions of the target to the source, split among the heads: while one head looks for the word to be "
            "translated next, another may look for its number or its tense. Who looks for what is learned.",
            ("Each head asks in a few features of its own: d_k = d_v = d_model / h.",),
            HEADS,
        ),
        "key": Page(
            "The keys of the source, split among the heads: a head compares the questions of the target with its own "
            "piece of each key. No number changes.",
            ("Queries and keys come from different sentences, of different lengths; only their width must agree.",),
            (*HEADS, "Keys: {keys}; queries: {queries}."),
        ),
        "value": Page(
            "The values of the source, split among the heads: each head takes what it finds from its own features of "
            "the source tokens, and hands it to the target.",
            ("Their number is that of the source tokens, their width d_v = d_model / h.",),
            HEADS,
        ),
        "scores": Page(
            "How well each question of the target fits each token of the source: a table with the target down the side "
            "and the source along the top.",
            (
                "The two sentences may differ in length and in word order; the table need not be square.",
                "No causal mask: the source is known from beginning to end, so every token of it may be seen.",
            ),
            ("Scores in each head: {queries} of the target × {keys} of the source = {pairs}.",),
        ),
        "weights": Page(
            "How much each token of the target listens to each token of the source. Every row is shared out by softmax "
            "and sums to 1.",
            (
                "The last row matters while writing: where it looks, the next word comes from.",
                "In translation bright cells often pair words of the same meaning, also where the order changes.",
            ),
            ("Every row shares 1 among {keys} source tokens.",),
            "Such tables were the first pictures of attention: nobody had told the model which words belong together.",
        ),
        "context": Page(
            "The answer of the source: for each token of the target a mean of the source's values, by its weights. "
            "This is how the meaning of the source gets into the translation.",
            (
                "Without this step the decoder would write fluent sentences that have nothing to do with the source.",
                "It is added to what the decoder knows already, and does not replace it.",
            ),
        ),
    },
)
