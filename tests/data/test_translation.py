"""The grammar against translations written by hand, and the corpus against its promises."""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import pytest

from txviz.data import translation
from txviz.data.translation import Language, Pair, english, french, italian
from txviz.data.translation.lexicon import ADJECTIVES, NOUNS, VERBS
from txviz.data.translation.phrases import DeadEndError
from txviz.data.translation.reading import readings
from txviz.data.translation.sentences import sentence
from txviz.spelling import split

T = TypeVar("T")

BY_HAND = """
# what the guides say
I love you very much | ti amo molto | je t'aime beaucoup
The house is big | la casa è grande | la maison est grande
The cat lies on the sofa | il gatto giace sul divano | le chat est couché sur le canapé
The sofa lies on the cat | il divano giace sul gatto | le canapé est posé sur le chat
The dog chased the cat because it was fast.
  | il cane ha inseguito il gatto perché era veloce.
  | le chien a poursuivi le chat parce qu'il était rapide.

# articles and elision
The student sees the tree. | lo studente vede l'albero. | l'étudiant voit l'arbre.
The owl sleeps here | il gufo dorme qui | le hibou dort ici
All the owls are clever | tutti i gufi sono intelligenti | tous les hiboux sont intelligents
I eat an orange | mangio un'arancia | je mange une orange
We broke a mirror yesterday | abbiamo rotto uno specchio ieri | nous avons cassé un miroir hier
The men listen to the students | gli uomini ascoltano gli studenti | les hommes écoutent les étudiants
This man and this woman work today
  | quest'uomo e questa donna lavorano oggi
  | cet homme et cette femme travaillent aujourd'hui
This man works today | quest'uomo lavora oggi | cet homme travaille aujourd'hui
These girls sing well | queste ragazze cantano bene | ces filles chantent bien
Do you like this island? | ti piace quest'isola? | est-ce que tu aimes cette île ?
I like my school | mi piace la mia scuola | j'aime mon école

# contractions
The key is on the table | la chiave è sul tavolo | la clé est sur la table
The children are in the kitchen | i bambini sono in cucina | les enfants sont dans la cuisine
The children are in my kitchen | i bambini sono nella mia cucina | les enfants sont dans ma cuisine
We were on the island | eravamo sull'isola | nous étions sur l'île
The mouse is near the mirror | il topo è vicino allo specchio | la souris est près du miroir
The horses sleep near the trees | i cavalli dormono vicino agli alberi | les chevaux dorment près des arbres
The bird sings near the window | l'uccello canta vicino alla finestra | l'oiseau chante près de la fenêtre
The mouse is afraid of the elephants | il topo ha paura degli elefanti | la souris a peur des éléphants
I am afraid of dogs | ho paura dei cani | j'ai peur des chiens
She gives the book to the student | dà il libro allo studente | elle donne le livre à l'étudiant
He gave an apple to the horses | ha dato una mela ai cavalli | il a donné une pomme aux chevaux
My father goes to the market every day | mio padre va al mercato ogni giorno | mon père va au marché tous les jours

# adjectives: place and agreement
I see a black cat | vedo un gatto nero | je vois un chat noir
She buys two white chairs | compra due sedie bianche | elle achète deux chaises blanches
The old woman reads a good book | la vecchia donna legge un buon libro | la vieille femme lit un bon livre
We saw a beautiful bird | abbiamo visto un bell'uccello | nous avons vu un bel oiseau
I want these beautiful flowers | voglio questi bei fiori | je veux ces belles fleurs
There is an old tree in the garden | c'è un vecchio albero in giardino | il y a un vieil arbre dans le jardin
There is an old elephant in the garden | c'è un vecchio elefante in giardino | il y a un vieil éléphant dans le jardin
She has a new hat | ha un nuovo cappello | elle a un nouveau chapeau
Your sisters are very happy | le tue sorelle sono molto felici | tes sœurs sont très heureuses
The cows were too slow | le mucche erano troppo lente | les vaches étaient trop lentes
The keys are expensive | le chiavi sono care | les clés sont chères
My mother and my father are tired | mia madre e mio padre sono stanchi | ma mère et mon père sont fatigués
I buy some small cakes | compro delle piccole torte | j'achète de petits gâteaux

# possessives
My brother loves his dog | mio fratello ama il suo cane | mon frère aime son chien
My brothers love her dog | i miei fratelli amano il suo cane | mes frères aiment son chien
Their mother is right | la loro madre ha ragione | leur mère a raison
Our friends have a boat | i nostri amici hanno una barca | nos amis ont un bateau
Where are my keys? | dove sono le mie chiavi? | où sont mes clés ?
Where was your cat? | dov'era il tuo gatto? | où était ton chat ?

# quantities
She drinks milk | beve latte | elle boit du lait
I drink some water | bevo dell'acqua | je bois de l'eau
There is some sugar on the table | c'è dello zucchero sul tavolo | il y a du sucre sur la table
Many birds eat bread | molti uccelli mangiano pane | beaucoup d'oiseaux mangent du pain
I have three brothers | ho tre fratelli | j'ai trois frères
We don't have a sister | non abbiamo una sorella | nous n'avons pas de sœur
He has three cats | ha tre gatti | il a trois chats
All the girls see the mice | tutte le ragazze vedono i topi | toutes les filles voient les souris
Cats like milk | ai gatti piace il latte | les chats aiment le lait

# negation
I do not drink coffee | non bevo caffè | je ne bois pas de café
He doesn't have a car | non ha una macchina | il n'a pas de voiture
She never eats apples | non mangia mai mele | elle ne mange jamais de pommes
The house isn't big | la casa non è grande | la maison n'est pas grande
You did not find the letters | non hai trovato le lettere | tu n'as pas trouvé les lettres
There are no books under the bed | non ci sono libri sotto il letto | il n'y a pas de livres sous le lit
There was no milk in the kitchen | non c'era latte in cucina | il n'y avait pas de lait dans la cuisine
I do not love you | non ti amo | je ne t'aime pas

# pronouns that move
She sees me | mi vede | elle me voit
We saw her yesterday | l'abbiamo vista ieri | nous l'avons vue hier
My mother helped us | mia madre ci ha aiutati | ma mère nous a aidés
They do not want it | non lo vogliono | ils ne le veulent pas
I gave him a flower | gli ho dato un fiore | je lui ai donné une fleur
He gives her the keys | le dà le chiavi | il lui donne les clés
I want to see you | ti voglio vedere | je veux te voir
She can't find them | non li può trovare | elle ne peut pas les trouver
You must wait for me | mi devi aspettare | tu dois m'attendre
I listen to you | ti ascolto | je t'écoute
The boy buys a flower for her | il ragazzo compra un fiore per lei | le garçon achète une fleur pour elle
We play with him | giochiamo con lui | nous jouons avec lui

# liking, needing, being hungry
I like apples | mi piacciono le mele | j'aime les pommes
My sister does not like this coffee | a mia sorella non piace questo caffè | ma sœur n'aime pas ce café
They like the garden very much | a loro piace molto il giardino | ils aiment beaucoup le jardin
We're hungry | abbiamo fame | nous avons faim
She is never thirsty | non ha mai sete | elle n'a jamais soif
I need a chair | ho bisogno di una sedia | j'ai besoin d'une chaise
You need the key | hai bisogno della chiave | tu as besoin de la clé

# past
She went home | è andata a casa | elle est allée à la maison
My sisters went to school | le mie sorelle sono andate a scuola | mes sœurs sont allées à l'école
The women sat under the tree | le donne erano sedute sotto l'albero | les femmes étaient assises sous l'arbre
The cow lay near the house | la mucca giaceva vicino alla casa | la vache était couchée près de la maison
I had a white horse | avevo un cavallo bianco | j'avais un cheval blanc
We often eat cakes | mangiamo spesso torte | nous mangeons souvent des gâteaux
He always works | lavora sempre | il travaille toujours

# it and they are the last noun
The dog chased the mouse because it was fast
  | il cane ha inseguito il topo perché era veloce
  | le chien a poursuivi la souris parce qu'elle était rapide
She did not buy the chairs because they were dirty
  | non ha comprato le sedie perché erano sporche
  | elle n'a pas acheté les chaises parce qu'elles étaient sales
The house is old but it is beautiful | la casa è vecchia ma è bella | la maison est vieille mais elle est belle
I bought a car but I sold it | ho comprato una macchina ma l'ho venduta | j'ai acheté une voiture mais je l'ai vendue
The boy found two flowers but he lost them
  | il ragazzo ha trovato due fiori ma li ha persi
  | le garçon a trouvé deux fleurs mais il les a perdues
I see the house and I love it | vedo la casa e la amo | je vois la maison et je l'aime
The girl went home because she was tired
  | la ragazza è andata a casa perché era stanca
  | la fille est allée à la maison parce qu'elle était fatiguée
I help you because I love you | ti aiuto perché ti amo | je t'aide parce que je t'aime

# questions
Is the water cold? | l'acqua è fredda? | est-ce que l'eau est froide ?
Does your brother eat bread? | tuo fratello mangia pane? | est-ce que ton frère mange du pain ?
Did they see him? | l'hanno visto? | est-ce qu'ils l'ont vu ?
Is there a cat in the box? | c'è un gatto nella scatola? | est-ce qu'il y a un chat dans la boîte ?
"""
_LINES = BY_HAND.replace("\n  |", " |").splitlines()
SENTENCES = [line.split(" | ") for line in _LINES if line and line[0] != "#"]
LANGUAGES: tuple[Language, ...] = ("it", "fr")
CHECKSUM = 48553307


OUTSIDE = [
    "",
    "?",
    "hello",
    "the cat",
    "the milk reads a book",
    "i love you very much ?",
    "is the house big .",
    "I sees you",
]


@pytest.fixture(scope="module")
def corpus() -> tuple[list[Pair], list[Pair]]:
    return translation.corpus()


@pytest.fixture(scope="module")
def counts(corpus: tuple[list[Pair], list[Pair]]) -> dict[str, Counter[str]]:
    """How often each word is in the training pairs."""
    return _words(corpus[0])


@pytest.mark.parametrize("row", SENTENCES, ids=lambda row: row[0])
def test_sentences_translated_by_hand(row: list[str]) -> None:
    text, in_italian, in_french = row
    assert translation.translate(text, "it") == in_italian
    assert translation.translate(text, "fr") == in_french


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_is_not_in_the_grammar_is_not_translated(text: str) -> None:
    assert translation.translate(text, "it") is None


def test_case_contractions_and_spaces_make_no_difference() -> None:
    texts = ["I don't love you.", "i do not love you .", "  I DON’T  LOVE YOU. "]
    assert {translation.normalise(text) for text in texts} == {"i do not love you."}
    assert {translation.translate(text, "fr") for text in texts} == {"je ne t'aime pas."}
    assert translation.source("She can't see me", "it") == ["<it>", "she", "cannot", "see", "me"]


def test_an_elided_word_is_a_token() -> None:
    tokens = translation.tokenise("est-ce qu'il n'aime pas l'arbre aujourd'hui ?")
    assert tokens == ["est-ce", "qu'", "il", "n'", "aime", "pas", "l'", "arbre", "aujourd'hui", "?"]
    assert translation.join(tokens, "fr") == "est-ce qu'il n'aime pas l'arbre aujourd'hui ?"
    assert translation.join(["dov'", "è", "l'", "isola", "?"]) == "dov'è l'isola?"


def test_examples_can_be_translated() -> None:
    assert len(translation.EXAMPLES) == len(set(translation.EXAMPLES)) == 12
    assert all(translation.translate(text, language) for text, language in translation.EXAMPLES)


def test_the_corpus_repeats_itself(corpus: tuple[list[Pair], list[Pair]]) -> None:
    text = "".join(f"{pair.english}|{pair.language}|{pair.target}\n" for pair in corpus[0] + corpus[1])
    assert zlib.crc32(text.encode()) == CHECKSUM, "the corpus changed: if that was meant, write the new checksum here"


def test_sizes(corpus: tuple[list[Pair], list[Pair]]) -> None:
    training, held_out = corpus
    assert (len(training), len(held_out)) == (40_000, 1_500)
    assert len({pair[:2] for pair in training + held_out}) == 41_500
    lengths = [len(translation.tokenise(pair.english)) for pair in training]
    assert max(lengths) <= 14
    assert sum(4 <= length <= 9 for length in lengths) > 0.8 * len(lengths)
    for side in corpus:
        assert 0.45 < sum(pair.language == "it" for pair in side) / len(side) < 0.55
        assert 0.28 < sum(pair.english.endswith(".") for pair in side) / len(side) < 0.36


def test_no_sentence_is_on_both_sides(corpus: tuple[list[Pair], list[Pair]]) -> None:
    assert all(translation.normalise(pair.english) == pair.english for pair in corpus[1])
    training, held_out = ({pair.english.removesuffix(".") for pair in side} for side in corpus)
    assert not training & held_out
    assert {translation.normalise(text).removesuffix(".") for text, _ in translation.EXAMPLES} <= held_out


def test_seeds_are_held_out_in_both_languages(corpus: tuple[list[Pair], list[Pair]]) -> None:
    held_out = {pair[:2]: pair.target for pair in corpus[1]}
    for text, *targets in SENTENCES[:5]:
        assert [held_out[translation.normalise(text), language] for language in LANGUAGES] == targets


def test_words(corpus: tuple[list[Pair], list[Pair]], counts: dict[str, Counter[str]]) -> None:
    """Enough words, each often enough to be learnt, and none that is only examined."""
    training, held_out = counts, _words(corpus[1])
    assert 200 <= len(training["en"]) <= 280
    assert all(300 <= len(training[language]) <= 520 for language in LANGUAGES)
    assert min(min(counts.values()) for counts in training.values()) >= 25
    assert all(counts.keys() <= training[language].keys() for language, counts in held_out.items())
    tokens = {"<it>", "<fr>", *training["en"], *training["it"], *training["fr"]}
    assert sorted(translation.vocabulary(corpus[0])) == sorted(tokens)


def test_every_word_of_the_lexicon_is_said(counts: dict[str, Counter[str]]) -> None:
    words = [word.cues for word in NOUNS] + [word.cues for word in ADJECTIVES] + [word.cues for word in VERBS.values()]
    cues = {cue for word in words for cue in word}
    assert cues - counts["en"].keys() == {"be"}


def test_every_sentence_is_cut_and_joined_back(corpus: tuple[list[Pair], list[Pair]]) -> None:
    for pair in corpus[0] + corpus[1]:
        assert translation.join(translation.tokenise(pair.target), pair.language) == pair.target
        assert split(pair.english) == translation.tokenise(pair.english)
        for text in (pair.english, pair.target):
            assert text == text.lower()
            assert re.fullmatch(r"[\w' -]+(\.| ?\?)?", text), text
        assert pair.english[-1] == pair.target[-1] or pair.english[-1].isalpha()


def test_an_english_sentence_has_one_translation() -> None:
    """By chance: what is said twice is translated alike, whatever it was made from."""
    known: dict[str, tuple[list[str], list[str]]] = {}
    rng = random.Random(5)

    def choose(options: Sequence[T], /) -> T:
        if not options:
            raise DeadEndError
        return rng.choice(options)

    for _ in range(15_000):
        try:
            tree = sentence(choose)
        except DeadEndError:
            continue
        translations = italian.words(tree), french.words(tree)
        assert known.setdefault(" ".join(english.words(tree)), translations) == translations


def test_all_readings_of_a_sentence_are_translated_alike(corpus: tuple[list[Pair], list[Pair]]) -> None:
    """By search: what was made is read again, and nothing else can be read into it."""
    renderers = {"it": italian.words, "fr": french.words}
    for pair in corpus[1][:100]:
        text = " ".join(translation.tokenise(pair.english.removesuffix(".")))
        targets = {translation.join(renderers[pair.language](tree), pair.language) for tree in readings(text)}
        assert targets == {pair.target.removesuffix(".")}


def _words(pairs: list[Pair]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {"en": Counter(), "it": Counter(), "fr": Counter()}
    for pair in pairs:
        counts["en"].update(translation.tokenise(pair.english))
        counts[pair.language].update(translation.tokenise(pair.target))
    return counts
