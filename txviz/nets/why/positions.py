"""Why positions are added."""

from __future__ import annotations

from txviz.nets.why.finding import by_input
from txviz.trace.why import Page, explain

_KIND = (
    "They are {waves} of many lengths, fixed by a formula, so any length of text has them.",
    "They are learned: a table with {learned_positions} rows, one for each place.",
)

explain(
    "embed",
    {
        "positions": by_input(
            text=Page(
                "Attention takes its tokens as a set. Without positions, “The cat lies on the sofa” and “The sofa lies "
                "on the cat” would be the same to it.",
                (
                    "Sines and cosines of many lengths give each place its own pattern, and near places similar ones.",
                    "A learned table finds its own patterns, but ends at the longest text it was made for.",
                ),
                _KIND,
            ),
            vision=Page(
                "Attention takes patches as a set: shuffled, an image would look the same to it. Positions say where "
                "each patch was.",
                (
                    "Space: what is left, right, above or below counts in an image.",
                    "A list of patches has an order, but no rows and columns; those must be told or learned.",
                    "With positions, patches can come to look at their neighbours.",
                    "1D: numbered along the list. 2D: a row and a column each. Learned: the model finds its own, and "
                    "from 1D numbers alone it usually finds the grid.",
                ),
                _KIND,
            ),
        ),
        "rows_of_patches": Page(
            "In which row of the grid each patch stands. For 2D positions a patch is told its row and its column "
            "apart, as (0,0), (0,1), (1,0), (1,1): top left, top right, bottom left, bottom right.",
            ("So two patches above each other have something in common, which numbers along a line do not say.",),
        ),
        "columns_of_patches": Page(
            "In which column of the grid each patch stands, counted from the left. Together with the row it says where "
            "on the image the patch was, as a place on a map has two numbers.",
            ("Patches below each other share their column, however far apart they stand in the list.",),
        ),
        "rows": Page(
            "A learned vector for each row of the grid. All patches of a row get the same one: what they share is that "
            "they lie at the same height of the image.",
            (
                "A few rows need few vectors: their number grows with the height, not with the area of the image.",
                "The column has vectors of its own, and both are added.",
            ),
        ),
        "columns": Page(
            "A learned vector for each column of the grid. All patches of a column get the same one, whichever row "
            "they are in; the row's own vector is added to it.",
            ("Left and right of the image can thus mean something to the model, apart from top and bottom.",),
        ),
        "grid": Page(
            "Row and column together, (0,0), (0,1), (1,0), (1,1) and so on: a vector for where on the image each patch "
            "stands. [CLS] stands nowhere on it and gets a position of its own.",
            (
                "Neighbours above and below are as close in it as those left and right.",
                "In tests of ViT, 2D positions did about as well as learned 1D ones; both did better than none.",
            ),
        ),
        "sum": Page(
            "Meaning and position in one vector: this is what the first layer reads, and the beginning of the stream "
            "to which every later block only adds.",
            (
                "Added, and not laid side by side, so that the width stays the same.",
                "With enough features the layers can learn to tell the two apart.",
            ),
            ("{length}, {d_model} numbers each; in the paper 512, in ViT-Base 768.",),
        ),
    },
)
