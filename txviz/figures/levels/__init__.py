"""Pictures of the levels above a step: a map of the model, an attention block, a layer, …

A module has ``draw(scene)``, which makes a ``Picture`` from a node of the outline: marks, and spots on them that can be
pointed at and gone to. Which node has which pictures is said by ``node.pictures``; what draws them by ``VIEWS``.
"""
