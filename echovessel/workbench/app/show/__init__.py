"""What the views show, as plain functions from records to HTML: tested without a browser."""
