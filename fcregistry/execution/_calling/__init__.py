"""How is a function called: on which thread or loop, and how long does anybody wait for it?"""
