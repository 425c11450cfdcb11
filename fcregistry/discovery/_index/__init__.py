"""What is known of installed plugins' tools without importing them?

Split by question: `_file.py` keeps it in a file, `_index.py` tells what of that still holds here and now, `_fingerprint.py` what a description was
made from, `_building.py` has plugins described by processes of their own (`_process.py`, and `_worker.py` inside), which watch what an import reads
(`_tracking.py`), `_inside.py` describes those that a program has imported itself.
"""
