"""How are arguments read, and slips of models repaired?"""
