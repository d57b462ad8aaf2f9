"""What there is to speak of: the concepts, and the scenes in which they meet."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

# group: category = concepts; ... A slash stands between words that say the same; a star marks what can't be counted, a
# plus sign what is many.
_CONCEPT_LINES = """
animal: pets = cat dog bird rabbit/bunny hamster parrot; livestock = cow horse sheep pig goat
animal: beasts = lion wolf bear mouse
person: young = boy girl child/kid student/pupil children/kids+; adults = man woman mother/mum father/dad parents+
person: workers = doctor/physician nurse teacher farmer chef pilot singer
speaker: speakers = i you
vehicle: road = car/automobile truck/lorry bus taxi/cab van; voyage = boat ship plane/aeroplane; rail = train
food: dishes = bread* soup* cheese* rice* cake; fruit = apple pear banana; drinks = milk* water* tea* coffee*
home: furniture = sofa/couch bed chair table mat/rug
place: rooms = kitchen bedroom bathroom garage; land = city village island; waters = river lake sea/ocean
place: town = street/road market school hospital station shop/store office
place: nature = park garden field forest beach mountain; buildings = house castle
thing: reading = book letter newspaper; clothes = coat hat shirt dress; toys = ball doll kite
thing: devices = phone/telephone computer radio clock
body: repose = sleep/nap rest/relax sit lie wait; motion = run walk/stroll swim play
deed: labour = work wash/clean repair/fix help/assist; exchange = buy/purchase give lend
travel: going = go/travel drive stop carry
mind: seeing = see/notice watch; liking = love/adore like; disliking = hate
hunt: hunting = chase/pursue follow
meal: eating = eat drink; cooking = make/prepare
sound: voicing = read sing
weather: wet = rain snow storm fog; dry = sunshine wind
size: great = big/large huge/enormous; slight = small/little tiny
speed: swift = fast/quick; lagging = slow
heat: heated = hot warm; chilled = cold cool
colour: bright = red blue green yellow; plain = black white
price: dear = expensive/costly; low = cheap
look: fine = beautiful/pretty/lovely; foul = ugly
taste: good = delicious/tasty; bad = awful/terrible
feeling: joy = happy/glad calm proud; sorrow = sad/unhappy angry/furious afraid/scared
feeling: want = tired/sleepy hungry thirsty ill/sick
kind: tame = pet; made = toy machine
"""

# What can be said: for each frame its roles, then its scenes. A role takes concepts, categories or groups.
_SCENE_LINES = """
acts: action | who | where
sleep | pets               | furniture kitchen bedroom garden
sleep | person             | sofa bed bedroom beach
sleep | livestock beasts   | field forest mountain
rest  | pets person        | sofa bed chair mat park garden beach
sit   | pets person        | sofa bed chair mat park garden
wait  | person             | town park kitchen
wait  | road               | street market school hospital station
stop  | road               | street market school hospital station
run   | animal person      | nature street
walk  | animal person      | nature street
swim  | dog bear person    | waters
play  | pets young         | rooms house park garden beach street
work  | adults workers     | town garden kitchen garage house
sing  | bird parrot person | rooms town nature house

lies: action | who | where
lie | pets person          | furniture clothes beach
lie | reading clothes toys | furniture
lie | furniture clothes    | pets person

does: action | who | whom | where
chase  | pets beasts young | animal young                               | nature street
follow | animal person     | animal person road                         | nature town
see    | pets person       | animal person vehicle thing food           | nature town
watch  | pets person       | animal person vehicle                      | nature town
love   | person            | animal person vehicle thing food furniture |
like   | person            | animal person vehicle thing food furniture |
hate   | person            | animal person vehicle thing food furniture |
love   | speakers          | speakers pets person thing food            |
love   | person            | speakers                                   |
like   | speakers          | speakers pets person thing food            |
hate   | speakers          | speakers pets person thing food            |
help   | speakers          | speakers person                            | nature town
see    | speakers person   | speakers pets road house                   | nature town
help   | person            | animal person                              | nature town
wash   | person            | road boat clothes pets livestock furniture | garden garage street
repair | adults workers    | vehicle devices furniture toys             | garden garage street
buy    | adults workers    | buildings                                  | city village island
buy    | person            | thing food furniture pets                  | market shop city
buy    | adults workers    | road boat livestock                        | market city village
eat    | person            | dishes fruit                               | kitchen park garden office school
eat    | pets livestock    | dishes fruit                               | kitchen garden field
drink  | person            | drinks                                     | kitchen park garden office school
drink  | pets livestock    | milk water                                 | kitchen garden field
make   | person            | dishes tea coffee                          | kitchen garden
read   | person            | reading                                    | sofa bed kitchen school park station
carry  | person            | reading clothes devices toys fruit pets    | street market school station
drive  | adults workers    | road                                       | city village street

gives: action | who | whom | other
give | person         | thing fruit cake pets | person
give | person         | fruit bread cheese    | animal
lend | adults workers | thing road            | adults workers

trades: action | who | whom | other
buy | adults workers | thing road boat pets livestock furniture | adults workers
buy | adults workers | buildings                                | adults workers
buy | young          | toys reading clothes fruit pets          | adults workers

goes: action | who | whom | where
go | person | road train      | market school hospital shop office beach city
go | person | boat ship plane | island city village

stands: who | where
pets             | furniture rooms nature buildings
livestock beasts | nature street
person           | rooms town nature waters buildings
road             | garage street market station hospital garden
thing            | furniture rooms office garden
food             | table kitchen
buildings        | land field forest mountain beach

clouds: action | where
weather | land nature

is: who | how
animal vehicle furniture clothes toys land buildings | size
vehicle horse dog mouse                              | speed
soup drinks                                          | heat
road boat clothes furniture toys devices             | colour
vehicle clothes furniture devices food buildings     | price
clothes furniture land nature waters toys buildings  | look
pets horse                                           | look
food                                                 | taste

kinds: who | how
pets            | pet
toys            | toy
vehicle devices | machine

names: who
animal
vehicle
workers man woman boy girl child
food furniture
thing buildings

feels: who | how | why
person pets | feeling              |
person      | happy sad angry calm | weather
person      | afraid               | storm fog wind
"""

Scene = dict[str, list[str]]
"""For each role, the concepts that may fill it."""


class Concept(NamedTuple):
    words: list[str]
    category: str
    group: str
    countless: bool
    many: bool


def _read_concepts() -> dict[str, Concept]:
    concepts = {}
    for line in _CONCEPT_LINES.strip().splitlines():
        group, categories = line.split(": ")
        for category, entries in (part.split(" = ") for part in categories.split("; ")):
            for entry in entries.split():
                words = entry.rstrip("*+").split("/")
                concepts[words[0]] = Concept(words, category, group, entry.endswith("*"), entry.endswith("+"))
    return concepts


@cache
def members(names: str) -> list[str]:
    """The concepts that are named, or whose category or group is."""
    wanted = names.split()
    return [name for name, c in CONCEPTS.items() if not {name, c.category, c.group}.isdisjoint(wanted)]


def _read_scenes() -> dict[str, list[Scene]]:
    scenes = {}
    for block in _SCENE_LINES.strip().split("\n\n"):
        head, *lines = block.splitlines()
        frame, roles = head.split(": ")
        rows = [[members(field) for field in line.split("|")] for line in lines]
        scenes[frame] = [dict(zip(roles.split(" | "), row, strict=True)) for row in rows]
    return scenes


@cache
def qualities(noun: str) -> list[str]:
    """How something can be: big, fast, cheap."""
    return [quality for scene in SCENES["is"] if noun in scene["who"] for quality in scene["how"]]


CONCEPTS = _read_concepts()
SCENES = _read_scenes()
