"""Labelled sets, metrics, arms and the benchmark that brings them together."""
