"""`python -m docs.website`: build the site, and show it with `--serve`."""

import argparse
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from sphinx.cmd.build import build_main

from docs.website.stage import stage

CONFIGURATION = Path(__file__).parent


def build(out: Path) -> int:
    """Build the site into `out/html`; the exit status. Warnings are errors."""
    stage(out / "pages")
    strict = ["--fail-on-warning", "--keep-going", "--quiet"]
    folders = [str(out / "pages"), str(out / "html")]
    return build_main(["-b", "html", "-c", str(CONFIGURATION), "-d", str(out / "doctrees"), *strict, *folders])


def serve(folder: Path, port: int) -> None:
    """Show a built site on this machine until Ctrl-C."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{server.server_port} (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m docs.website", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/docs"), help="the folder; default build/docs")
    parser.add_argument("--serve", action="store_true", help="show it, too")
    parser.add_argument("--port", type=int, default=8080, help="of --serve; 0 takes one that is free; default 8080")
    options = parser.parse_args()
    status = build(options.out)
    if status:
        return status
    print(f"The documentation is in {options.out / 'html' / 'index.html'}")
    if options.serve:
        serve(options.out / "html", options.port)
    return 0


if __name__ == "__main__":
    sys.exit(main())
