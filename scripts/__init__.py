"""What make calls."""
