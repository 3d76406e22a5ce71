"""The commands that work on a checkpoint."""
