"""Why positions are rotations, heads share their keys, and a gate stands in the feed-forward network."""

from __future__ import annotations

from txviz.trace.why import Page, explain

explain(
    "self_attention",
    {
        "query_norm": Page(
            "The queries of each head are divided by their root mean square and stretched by a learned gain, before "
            "they are turned. Every token then asks about as loudly as every other.",
            (
                "Scores are products of queries and keys. Without a bound on both, some grow until softmax sees a "
                "single token and nothing is learned any more.",
                "The gain is the same for all heads of a layer: what differs between them is the direction.",
            ),
        ),
        "key_norm": Page(
            "The keys of each head are divided by their root mean square and stretched by a learned gain, as the "
            "queries are. What is left to tell one token from another is where its key points.",
            (
                "No token can draw all attention by a long key alone.",
                "In large models this keeps training from going astray; all it costs is a gain for each feature.",
            ),
        ),
        "rotated_query": Page(
            "Each query is turned by an angle that grows with its position: pairs of its features are points, and each "
            "pair has its own speed. So far nothing had told the model where a token stands.",
            (
                "When keys are turned likewise, their product depends only on how far apart the two tokens stand.",
                "Turning changes no length, so nothing of the meaning is drowned, as it could be by adding positions.",
            ),
        ),
        "rotated_key": Page(
            "Each key is turned by an angle that grows with its position, at the same speeds as the queries. A query "
            "and a key at the same place are turned alike, and their product stays as it was.",
            (
                "Only the distance to what stands before counts, not the place in the text.",
                "Fast pairs tell near places apart, and slow ones far places.",
            ),
        ),
        "shared_keys": Page(
            "There are fewer heads of keys than of queries: several heads ask different questions and share the keys "
            "that they are compared with. Here each head of keys so far is laid out once for each of them.",
            (
                "While writing, the keys of all tokens so far are kept; with fewer heads there is less to keep and to "
                "read.",
                "Little is lost by it: what differs between heads is mostly the question.",
            ),
        ),
        "shared_values": Page(
            "The heads that share their keys also share their values: what is passed on when a token so far is looked "
            "at. Each head of values is laid out once for each head of queries.",
            (
                "Each head still mixes them by weights of its own.",
                "Half, a quarter or an eighth of the memory is enough while a long text is written.",
            ),
        ),
    },
)
explain(
    "ffn",
    {
        "gate": Page(
            "The feed-forward network has a second layer beside its first one, the gate. For each hidden feature it "
            "decides, from the same token, how far that feature is let through.",
            (
                "So a feature can depend on two things at once: what is found, and whether it matters here.",
                "It costs a third matrix, for which the hidden layer is usually made narrower.",
            ),
        ),
        "gated": Page(
            "What the hidden layer found, times how far the gate lets it through. Where the gate is near 0, nothing "
            "of the feature is left, whatever it was.",
            (
                "A product of two layers can say “this and that”, which a sum of them can't.",
                "Models with such a gate learn better with as many numbers, which is why most new ones have it.",
            ),
        ),
    },
)
