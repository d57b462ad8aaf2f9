"""The formats that figures and tensors can be written in."""

ONE_FILE = ("pdf", "gif", "pptx", "html")
"""All steps go into one file."""

FILE_EACH = ("png", "svg", "csv", "npy", "md", "tex")
"""Each step is a file of its own."""

VIEWS = {
    "stage": "the step: what it read and what it made",
    "attention": "its attention as a matrix",
    "lines": "its attention as lines from token to token",
    "image": "its attention on the image",
    "softmax": "its softmax opened up",
    "tokens": "the tokens in 2D, from layer to layer",
    "values": "how its numbers are spread",
}
"""What a figure can show of a step. Web pages show the stage, and tables have no view."""

DRAWN = ("png", "svg", "pdf", "gif")
"""Whatever is drawn can be written as these."""

FORMATS = ("png", "svg", "pdf", "gif", "pptx", "html", "csv", "npy", "md", "tex")
