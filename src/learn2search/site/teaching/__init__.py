"""Teaching a collection without searching: which of these are most alike?"""
