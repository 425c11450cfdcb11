"""Which result is found again, and which call is tried again?"""
