"""From a step to something that a person can look at."""
