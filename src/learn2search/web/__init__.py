"""The pages, the owner's dashboard and the JSON API. A route reads the request, calls the site once, and renders."""
