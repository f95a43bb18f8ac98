"""Forming memory with a language model, and the prompt that a reply is made from."""
