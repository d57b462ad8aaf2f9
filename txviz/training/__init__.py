"""Training the shipped models again, from data and seeds: the only part of txviz that reads ``txviz.data``."""
