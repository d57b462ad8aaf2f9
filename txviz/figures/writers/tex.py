"""Text as TeX has it: its own signs escaped, letters with accents spelled out, mathematical signs as mathematics."""

from __future__ import annotations

from unicodedata import decomposition, name, normalize

SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}  # fmt: skip

LETTERS = {
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}",
    "Ł": r"\L{}", "ı": r"\i{}", "¿": "?`", "¡": "!`", "“": "``", "”": "''", "‘": "`", "’": "'", "„": ",,",
    "–": "--", "—": "---", "…": r"\dots{}", "§": r"\S{}", "©": r"\copyright{}", "\u00a0": "~", "\u2009": r"\,",
    "\u202f": r"\,", "•": r"\textbullet{}", '"': r"{\char34}",
}  # fmt: skip

ACCENTS = dict(
    zip("\u0300\u0301\u0302\u0303\u0308\u0327\u030c\u0304\u0306\u0307\u030b\u030a", "`'^~\"cv=u.Hr", strict=True)
)

MATHS = {
    "−": "-", "×": r"\times", "·": r"\cdot", "÷": r"\div", "±": r"\pm", "√": r"\surd", "∞": r"\infty", "∇": r"\nabla",
    "∂": r"\partial", "Σ": r"\Sigma", "∑": r"\sum", "∏": r"\prod", "∈": r"\in", "≤": r"\le", "≥": r"\ge", "≠": r"\neq",
    "≈": r"\approx", "≡": r"\equiv", "→": r"\to", "←": r"\leftarrow", "↑": r"\uparrow", "↓": r"\downarrow",
    "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "▸": r"\triangleright", "▲": r"\triangle", "▼": r"\triangledown",
    "⊙": r"\odot", "⊕": r"\oplus", "∘": r"\circ", "°": r"^\circ", "✓": r"\checkmark", "✗": r"\times", "′": "'",
    "ᵀ": r"^{\mathrm T}", "‖": r"\Vert", "⋮": r"\vdots", "⋯": r"\cdots", "½": r"\tfrac12",
    **{sign: f"^{{{plain}}}" for sign, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ", "0123456789-n", strict=True)},
    **{sign: f"_{{{plain}}}" for sign, plain in zip("₀₁₂₃₄₅₆₇₈₉ₖₙₜᵥᵢ", "0123456789kntvi", strict=True)},
    **{chr(number): "\\" + name(chr(number)).split()[-1].lower() for number in range(ord("α"), ord("ω") + 1)},
    "ε": r"\varepsilon", "λ": r"\lambda", "ο": "o", "ς": r"\varsigma",
}  # fmt: skip

UNKNOWN = r"""\providecommand\txvizsign[2]{\ifdefined\Umathcode#2\else{\tiny U+#1}\fi}
"""
"""What an older engine than XeLaTeX or LuaLaTeX has no letter for is shown as its number there."""


def escaped(text: str) -> str:
    r"""On one line.

    >>> print(escaped("50 % of “naïve” × −∞"))
    50 \% of ``na\"{\i}ve'' $\times$ $-$$\infty$
    """
    return "".join(map(_sign, normalize("NFC", " ".join(text.split()))))


def _sign(sign: str) -> str:
    if sign in SPECIAL:
        return SPECIAL[sign]
    if sign.isascii() and sign.isprintable():
        return sign
    if sign in LETTERS:
        return LETTERS[sign]
    if sign in MATHS:
        return f"${MATHS[sign]}$"
    base, _, accent = decomposition(sign).partition(" ")
    if accent and not base.startswith("<") and chr(int(accent, 16)) in ACCENTS:
        letter = {"i": r"\i", "j": r"\j"}.get(chr(int(base, 16))) or _sign(chr(int(base, 16)))
        return f"\\{ACCENTS[chr(int(accent, 16))]}{{{letter}}}"
    return f"\\txvizsign{{{ord(sign):04X}}}{{{sign if sign.isprintable() else ''}}}"
