"""How do many calls run at the same time, and which waits for which?"""
