"""JSON Schema: documents, references, drafts, validation and external schemas."""
