"""A pleasant name for every face. The faces are drawn, and so are the names: from a hat."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from numpy.typing import ArrayLike

from learn2search.demo.similarity import NAMES, checked


def _names(text: str) -> list[str]:
    return text.split()


MASCULINE = _names(
    "Adil Aldo Amadou Andrei Anton Arjun Axel Bao Bastian Benedikt Bilal Bruno Caspar Cem Chidi Daichi Dario "
    "Davit Diego Elias Emeka Emil Enzo Farid Felix Finn Gabriel Goran Hamza Haruto Henrik Hugo Idris Ivan Jamal "
    "Javier Jonas Joon Kaito Karim Kofi Kwame Lars Leon Levi Luca Malik Marek Mateo Milan Nikhil Oleg Omar "
    "Oskar Pablo Pavel Rafael Rohan Samuel Sven Tariq Thabo Viktor Yusuf"
)
FEMININE = _names(
    "Abena Aiko Alba Amara Amina Anjali Anouk Astrid Beatriz Bianca Camila Carmen Chiara Clara Dalia Daria "
    "Diana Elena Elif Emma Esther Fatou Flora Freya Greta Hana Helena Ida Imani Ines Ingrid Isabel Jana Jasmin "
    "Julia Kavya Keiko Laila Lara Leonie Lin Lucia Maja Malaika Marta Mei Mina Miriam Naomi Nia Nora Olga "
    "Paloma Priya Rosa Salma Sofia Sunniva Thandi Vera Yara Yuki Zahra Zofia"
)
ANY = _names(
    "Addison Ainsley Alex Andrea Ariel Ashanti Avery Bela Blake Cameron Casey Charlie Chi Dakota Dana Devi Eden "
    "Ellis Emery Fei Finley Gale Harper Hayden Ilya Indigo Jaya Jess Jules Kai Kamau Kerry Kim Kiran Lee Lou "
    "Luan Marlo Max Mika Morgan Nat Nikita Noa Noor Ocean Parker Quinn Rain Remy Robin Rowan Sage Sasha Shay "
    "Sky Sol Taylor Tian Toni Tracy Uli Wren Zuri"
)
SECOND = _names(
    "Abara Achterberg Almeida Andersen Aoki Banerjee Bauer Bello Berg Blum Castro Chen Cohen Costa Diallo "
    "Dubois Eriksen Faber Ferrari Fischer Fontaine Garcia Haddad Hansen Hoang Ito Jansen Kaya Keller Khan Kovac "
    "Kowalska Lindqvist Lopez Mbeki Mensah Meyer Moreau Moretti Mori Nakamura Ndiaye Nguyen Novak Okafor Ortiz "
    "Osei Park Patel Petrov Rossi Sato Shah Silva Sokolov Tanaka Torres Varga Weber Yilmaz Zhou"
)

FIRST_STRIDE, SECOND_STRIDE = 27, 23
PRESENTATION = NAMES.index("presentation")


def titles(features: ArrayLike) -> list[str]:
    """A name for each of the faces `(n, 18)`, all different, the same for the same faces.

    Faces are named in turn, in strides through the lists. The lengths of the lists of first names and of second names
    (64 and 61) and the strides have no common factors, so that all 3,904 pairs come up before one comes again; from
    then on a number follows.
    """
    hats = {"masculine": _hat(MASCULINE, 0), "feminine": _hat(FEMININE, 20), "any": _hat(ANY, 40)}
    return [next(hats[_list_of(value)]) for value in checked(features)[:, PRESENTATION].tolist()]


def _list_of(presentation: float) -> str:
    if abs(presentation) < 0.2:
        return "any"
    return "feminine" if presentation > 0 else "masculine"


def _hat(first: list[str], start: int) -> Iterator[str]:
    """All pairs of a first and a second name, then all with a 2, and so on."""
    pairs = len(first) * len(SECOND)
    for turn in count():
        name = f"{first[turn * FIRST_STRIDE % len(first)]} {SECOND[(start + turn * SECOND_STRIDE) % len(SECOND)]}"
        yield name if turn < pairs else f"{name} {turn // pairs + 1}"
