"""Where an environment comes from: near-duplicates, public benchmarks, licences, secrets, hidden characters.

A pure core (texts in, findings' facts out) with two thin edges: `repository` reads other environments, `public` reads
indexes. Nothing here runs anything, and nothing here knows the jail.
"""
