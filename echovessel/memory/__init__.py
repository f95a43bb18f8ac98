"""The six layers, storage and recall; knows no model provider and no channel."""
