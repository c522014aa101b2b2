"""The languages of the visitors' pages: the catalogues, how they are read, and how they are kept complete."""
