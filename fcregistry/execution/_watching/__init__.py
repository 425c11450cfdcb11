"""Who is told of a call: logs and traces?"""
