"""Sentences whose meanings are known, for the sentence encoder to learn which of them are near.

A meaning says who does what to whom, where, how and why: each of these roles holds a concept. A concept has one or more
words that say the same (car, automobile), a category (car, van and bus are of the road) and a group (these and ships
are vehicles). A meaning can be put in several ways: other words, active or passive, giving or getting.

How far two meanings are apart, from 0 to 1:

    concepts  0 the same, 0.5 of one category (cat, dog), 0.8 of one group (cat, cow), 1 otherwise (cat, car)
    roles     the mean of the concepts' distances, role by role, the main roles weighing most; a role that only one of
              the two has counts 1, and so does a role whose concept has moved to another role
    topic     the mean distance of each concept to the nearest one of the other meaning, whatever its role
    distance  d = 0.6 roles + 0.4 topic; when just one of the two is negated, d + 0.3 (1 - d)

So "the cat chases the dog" is nearer to "the dog chases the cat", where only the roles differ, than to "the bus stops".
Tense, articles, whose it is ("your cat"), how much ("very") and a full stop don't count. Text is lower-case, and spaces
set its tokens apart.

`world.py` has the concepts and what can happen among them, `meanings.py` the distance, `drawing.py` draws meanings and
changes them, `wording.py` puts them in words, with the forms of `grammar.py`, and `triples.py` makes the corpus.
"""

from txviz.data.similarity.drawing import MARGIN, draw, draw_triple
from txviz.data.similarity.meanings import Meaning, distance
from txviz.data.similarity.triples import Pair, Triple, corpus, graded_pairs, swapped
from txviz.data.similarity.wording import say

__all__ = [
    "EXAMPLES",
    "MARGIN",
    "Meaning",
    "Pair",
    "Triple",
    "corpus",
    "distance",
    "draw",
    "draw_triple",
    "graded_pairs",
    "say",
    "swapped",
]

EXAMPLES = (
    ("the cat sleeps on the sofa", "the dog sleeps on the sofa"),
    ("the cat sleeps on the sofa", "the car stops on the street"),
    ("the cat lies on the sofa", "the sofa lies on the cat"),
    ("the dog chased the cat because it was fast", "the dog chased the fast cat"),
    ("the dog chases the cat", "the cat is chased by the dog"),
    ("the dog chases the cat", "the cat chases the dog"),
    ("the woman buys a car from the farmer", "the farmer sold an automobile to the woman"),
    ("the boy likes the soup", "the boy doesn't like the soup"),
    ("the teacher is happy because it is snowing", "the snow makes the teacher glad"),
    ("there is a big dog in the kitchen", "the large dog is in the kitchen"),
)
