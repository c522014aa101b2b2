"""The claim of the supplement's second figure: what two components show. Everything is simulated."""

from study import Cells
from supplement_map import ALIGNED

from claims import Claim, Found


def aligns(cells: Cells) -> Found:
    cell = cells["map"]
    pairs = list(zip(cell["features"], cell["correlations"], strict=True))
    told = " and ".join(f"“{name}” (r = {r:+.2f})" for name, r in pairs)
    share = f"they hold {sum(cell['share']):.0%} of the variance"
    text = f"{cell['triplets']:,} triplets: {told}; {share}; by chance up to {cell['by chance']:.2f}"
    return Found(text, [abs(r) > max(ALIGNED, cell["by chance"]) for _, r in pairs])


CLAIMS = (
    Claim(
        "Supplement, last figure",
        "the two principal components align well with gender and race",
        f"each is correlated with one hidden feature by more than {ALIGNED}, and than chance",
        aligns,
        "the drawn faces have 18 independent features, and no two of them dominate",
    ),
)
