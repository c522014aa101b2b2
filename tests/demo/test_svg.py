import pytest

from learn2search.demo.colour import colour
from learn2search.demo.outline import Pen
from learn2search.demo.svg import Element, circle, clipped, group, lit, stroke, to_text

RED, BLUE = colour("#ff0000"), colour("#0000ff")
SQUARE = Pen().move((0, 0)).line((4, 0)).line((4, 4)).close()


def test_elements_should_be_written_with_presentation_attributes() -> None:
    text = to_text(group(circle((1, 2.5), 3, RED), stroke(SQUARE, BLUE, 2, opacity=0.5)), "a")
    assert text == (
        '<g><circle cx="1" cy="2.5" r="3" fill="#ff0000"/>'
        '<path d="M0 0L4 0L4 4Z" fill="none" stroke="#0000ff" stroke-width="2" stroke-linecap="round"'
        ' stroke-linejoin="round" opacity="0.50"/></g>'
    )


def test_every_name_should_get_the_prefix() -> None:
    text = to_text(lit("hat", SQUARE, (RED, BLUE), (-3, -1)), "face7-")
    assert 'id="face7-hat"' in text
    assert 'href="#face7-hat"' in text
    assert 'clip-path="url(#face7-hat-clip)"' in text
    assert '"#hat' not in text


def test_a_clip_should_hold_its_shape_and_children() -> None:
    text = to_text(clipped("lens", SQUARE, circle((0, 0), 1, RED)), "p")
    assert text.startswith(
        '<g><clipPath id="plens"><path d="M0 0L4 0L4 4Z"/></clipPath><g clip-path="url(#plens)"><circle'
    )


def test_what_cannot_be_seen_should_be_left_out() -> None:
    seen, unseen = circle((0, 0), 1, RED), circle((0, 0), 1, BLUE, opacity=0.001)
    assert "#0000ff" not in to_text(group(seen, unseen), "a")
    assert to_text(group(seen, opacity=0.0), "a") == ""
    assert len(list(group(seen, unseen).walk())) == 3


@pytest.mark.parametrize("prefix", ["", "7", 'a"', "a b", "é", "a>"])
def test_a_prefix_that_is_no_name_should_be_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="a prefix is a letter, then"):
        to_text(Element("g"), prefix)
