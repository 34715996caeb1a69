"""The bot's few HTTP endpoints. Nothing slow happens in a request."""
