"""The window: the only part of txviz that knows Qt's widgets and pyqtgraph."""
