"""How does a call run in another process?"""
