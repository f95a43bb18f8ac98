"""The views: Gradio's components laid out and wired to the functions of `show`."""
