"""Why an image is cut into patches, flattened and projected."""

from __future__ import annotations

from txviz.trace.why import Page, explain

explain(
    "input",
    {
        "image": Page(
            "The image as numbers, one for each pixel: 0 is black and 1 is white. A transformer can't read it as it "
            "is: it reads a sequence of tokens, and an image has rows and columns.",
            (
                "Pixels as tokens would be far too many, since every token looks at every other.",
                "So the image is cut into patches, each of which becomes one token.",
            ),
            ("{image} is {all_pixels} pixels. 224×224 in colour is 150,528 numbers.",),
        ),
        "patches": Page(
            "The image is cut into patches, and each is written out as one row, from left to right and top to bottom.",
            (
                "Cost: every token looks at every other, and single pixels would be too many.",
                "Patches are to an image what words are to a sentence.",
                "A patch keeps together what lies close together: a corner, an edge.",
                "A larger image only gives more patches; the model stays the same.",
                "Flattened, since a transformer reads vectors: a patch becomes one, as a word does, and no pixel is "
                "lost.",
            ),
            ("{patches} patches of {patch} pixels, {pixels} numbers each.",),
            "H·W/P² patches of P²·C numbers, for C colours: with P = 16, 48×48 makes 9, 256×256 makes 256, and 224×224 "
            "in colour 14×14 = 196 of 16×16×3 = 768. Smaller patches show more and cost more; the right size is found "
            "by trying.",
        ),
        "all_patches": Page(
            "The whole image, cut into patches that do not overlap and written out row by row. The guide goes on with "
            "only some of them, in the next step, to keep its arithmetic short; a real model would use them all.",
            (
                "Height and width must be multiples of the patch's, so that nothing is left over.",
                "n = (H/P)·(W/P) patches with P·P·C numbers each, for C colours.",
            ),
            ("{image} pixels in patches of {patch} are {all_patches} patches, of which {patches} are used.",),
        ),
    },
)
explain(
    "embed",
    {
        "projection": Page(
            "A learned matrix, E, turns the pixels of each patch into a vector of the model's width: it is for patches "
            "what the table of vectors is for words.",
            (
                "Raw brightness becomes learned features.",
                "Whatever the size of a patch, the layers get vectors of one width.",
                "The model learns which features matter: one may come to answer to brightness, another to an edge or a "
                "texture; nobody tells it which.",
            ),
            ("{pixels} pixels become {d_model} numbers; in ViT-Base 16×16×3 = 768 become 768.",),
        )
    },
)
