"""How does what a tool returned or raised become a result?"""
