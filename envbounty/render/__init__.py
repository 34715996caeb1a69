"""How a report looks to people and to other programs: terminal text, Markdown, SARIF.

Every function here takes a `Report` and returns a string. It must not know how findings are made, where the
string goes, or who reads it: no disk, no network, no clock, no terminal detection.
"""
