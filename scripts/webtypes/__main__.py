"""Writes the types where the web app reads them."""

from scripts.toolbox.places import ROOT
from scripts.webtypes.generating import FILE, types_of

FILE.write_text(types_of())
print(f"Written: {FILE.relative_to(ROOT)}")
