"""The formats that figures and tensors can be written in."""

ONE_FILE = ("pdf", "gif", "pptx", "html")
"""All steps go into one file."""

FILE_EACH = ("png", "svg", "csv", "npy", "md", "tex")
"""Each step is a file of its own."""

FORMATS = ("png", "svg", "pdf", "gif", "pptx", "html", "csv", "npy", "md", "tex")
