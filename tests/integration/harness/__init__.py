"""What the integration tests stand on: a private PostgreSQL, a pgveil in front of it, and clients that never
hang."""
