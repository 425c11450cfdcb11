"""What is known of installed plugins' tools without importing them?

Split by question: `_made.py` says what a description is, `_file.py` keeps descriptions in a file (`_writing.py` writes it, `_stored.py` reads it,
`_rows.py` is what stands there of a tool), `_index.py` tells what of that still holds here and now, `_fingerprint.py` what a description was made
from. `_building.py` has plugins described by processes of their own (`_process.py`, and `_worker.py` inside), which watch what an import reads
(`_tracking.py`) and changes (`_changes.py`); `_describing.py` is the description itself, also of what a program has imported.
"""
