"""May a call run: what do the policy, the author and whoever is asked say, now or later?"""
