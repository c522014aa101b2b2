"""The claim of the supplement's second figure: what two components show. Everything is simulated."""

from research.claims import Claim, Found
from research.study import Cells
from research.supplement_map import ALIGNED

GENDER, RACE = "presentation", "skin"  # what the drawn faces have of them


def aligns(cells: Cells) -> Found:
    cell = cells["map"]
    pairs = list(zip(cell["features"], cell["correlations"], strict=True))
    told = " and ".join(f"“{name}” (r = {r:+.2f})" for name, r in pairs)
    share = f"they hold {sum(cell['share']):.0%} of the variance"
    text = f"{cell['triplets']:,} triplets: {told}; {share}; by chance up to {cell['by chance']:.2f}"
    shown = {name for name, r in pairs if abs(r) > max(ALIGNED, cell["by chance"])}
    return Found(text, [GENDER in shown, RACE in shown])


CLAIMS = (
    Claim(
        "Supplement, last figure",
        "the two principal components align well with gender and race",
        f"one is correlated most with “{GENDER}”, the other with “{RACE}”, by more than {ALIGNED}, and than chance",
        aligns,
        "the drawn faces have 18 independent features; for the simulated visitors skin, age and hair length weigh most",
    ),
)
