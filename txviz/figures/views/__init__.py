"""The plots beside the stage as marks: the window paints them, and a file gets the very same.

A module has a drawing, which knows where everything goes in an area and what is at a point of it, and a function that
puts the drawing on a page with its title and caption. Nothing here knows Qt.
"""
