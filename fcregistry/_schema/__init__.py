"""JSON Schema: documents and their references, drafts, validation, and schemas that come from elsewhere."""
