"""The data that the shipped models are trained on, made from seeds."""
