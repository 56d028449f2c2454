"""Writes the generated types to the web app."""

from scripts.devtools.paths import ROOT
from scripts.openapi_types.generating import FILE, types_of

FILE.write_text(types_of())
print(f"Written: {FILE.relative_to(ROOT)}")
