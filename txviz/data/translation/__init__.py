"""English sentences with their Italian and French translations, for the translator to learn from: one small grammar.

A sentence is a tree of choices (`sentences.py`, `phrases.py`, `syntax.py`) among the words of `lexicon.py`, and three
renderers (`english.py`, `italian.py`, `french.py`) write the same tree down. `pairs.py` makes the corpus by chance,
and `reading.py` goes the other way, from an English sentence to its tree. An English sentence has exactly one
translation per language; these rules make it so:

- Who. "You" is one friend: tu. I, you, we, they, and nouns that don't say (friend, teacher, student, child) are
  masculine; so are a man and a woman together. Italian drops subject pronouns. "His" and "her" are both suo, son.
- It. After "because", "and" and "but", "it", "they" and "them" stand for the last noun before, and take its gender in
  each language; with no noun before, they are masculine. "He" and "she" are people.
- Pronouns as objects stand before the verb: ti amo, je t'aime. With "can", "must" and "want to" Italian puts them
  before both verbs (ti posso vedere), French before the second (je peux te voir). Participles agree with them.
- Past. What happened is in the compound past (ha visto, est allée), how things were in the imperfect: "was", "had",
  "sat" and "lay". "Read" is always present.
- Nouns without a word before them: "I eat apples" are some (mangio mele, je mange des pommes), "I love apples" are
  all of them (amo le mele, j'aime les pommes). "This" and "these" are questo and ce; "some" is del and du.
- Adjectives have one place before a noun or after it, each in its language: un vecchio tavolo nero.
- Negation is non ... (mai) and ne ... pas (jamais), and in French what is denied has "de": pas de lait.
- Verbs. "Love" is amare, "like" is piacere, and French says aimer for both. "Lie" is giacere in Italian; in French an
  animal "est couché" and a thing "est posé". To be hungry, thirsty, right, afraid of, and to need are to have
  hunger, thirst, reason, fear of, need of.
- Places. Italian says in casa, in cucina, in giardino, in strada and in macchina, and otherwise nella casa grande.
- Questions: Italian only adds the question mark; French begins with est-ce que. "Where" is dove and où.
- A full stop is translated if it is there.

All is lower-case. A token is a word or a sign; an elided word is a token of its own that keeps its apostrophe, so
"l'arbre" is "l'" and "arbre", and any noun does with one token. `tokenise` cuts a sentence up, `join` puts it
together again. Before the source's tokens stands the language to translate into, "<it>" or "<fr>".
"""

from txviz.data.translation.pairs import EXAMPLES, Pair, corpus, translate, vocabulary
from txviz.spelling import Language, join, normalise, source, tokenise

__all__ = [
    "EXAMPLES",
    "Language",
    "Pair",
    "corpus",
    "join",
    "normalise",
    "source",
    "tokenise",
    "translate",
    "vocabulary",
]
