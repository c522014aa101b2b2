"""Addresses at the end of a study."""

import pytest
from pydantic import ValidationError

from learn2search.site.studies.study_design import StudyDesign, way_out


@pytest.mark.parametrize(
    "address", ["http://panel.example", "javascript:alert(1)", "//panel.example", "https://", "https://a b", "panel"]
)
def test_only_https_should_be_led_to(address: str) -> None:
    with pytest.raises(ValidationError, match="begins with https://"):
        StudyDesign(title="s", redirect=address)


def test_the_participant_should_be_appended_only_if_asked() -> None:
    address = "https://panel.example/done?cc=1&empty=#end"
    assert way_out(StudyDesign(title="s", redirect=address), "A&B") == address
    asked = StudyDesign(title="s", redirect=address, with_participant=True)
    assert way_out(asked, "A&B") == "https://panel.example/done?cc=1&empty=&participant=A%26B#end"
    assert way_out(StudyDesign(title="s", with_participant=True), "A") == ""
