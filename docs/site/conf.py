# SPDX-License-Identifier: Apache-2.0
"""The documentation site. script/site builds it of the repository's own pages and of the docstrings of the Python package."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

project = "skerry"
copyright = author = "the skerry authors"
release = version = re.search(r'version = "([0-9.]+)"', (ROOT / "include/skerry/version.hpp").read_text())[1]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/site/index"
include_patterns = ["*.md", "docs/**.md", "samples/README.md", "bench/*.md", "bench/data/*.md"]
source_suffix = {".md": "markdown"}

# script/check-docs checks links, also those to source files and folders, which the site does not show.
suppress_warnings = ["myst.xref_missing", "myst.header"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
default_role = "code"

html_theme = "furo"
html_title = f"skerry {release}"
html_copy_source = False
html_show_sphinx = False
