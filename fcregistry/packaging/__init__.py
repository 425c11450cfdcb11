"""How does a plugin become a package that tells its tools without being imported?

`_scaffold.py` starts one from `_templates/`. `_building.py` makes its manifest, which `_worker.py` finds out in a process of its own;
`_project.py` says which project, `_checking.py` whether the manifest that stands there is the same. `_hatch.py` is the build hook of
hatchling that puts the manifest into what is built, after `_verifying.py` found that it fits.
"""
