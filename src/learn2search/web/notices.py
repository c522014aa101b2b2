"""What the owner's pages say after a form was sent."""

from fastapi import Request

# What a page says after a form was sent; the address of the page names it, and `n` where there is a number to say.
NOTICES = {
    "saved": "Saved.",
    "moved": "Moved.",
    "archived": "Archived: no new search begins. Searches under way go on.",
    "opened": "Open again: new searches begin.",
    "deleted-collection": "The collection is deleted.",
    "deleted-study": "The study is deleted, with the ids of its participants. Their searches stay.",
    "retired": "{n} retired: no new search shows them. They can be restored.",
    "restored": "{n} restored.",
    "deleted": "{n} deleted for good. Backups made before still hold them.",
    "nothing": "Nothing was changed: tick the items first.",
    "retrain": "A new model is being fitted. It goes live if it predicts the newest searches better.",
    "rolled-back": "That model is in use again.",
    "aside": "Set aside: it teaches nothing.",
    "released": "Released: it teaches in full.",
}


def notice_of(request: Request) -> str | None:
    """What the page has to say about the form that led to it."""
    text = NOTICES.get(request.query_params.get("did", ""))
    count = request.query_params.get("n", "")
    return None if text is None else text.format(n=count if count.isdecimal() else "Some")
