import os
import numpy as np
from os import path
from .mod import a, b
@app.route("/x")
def view(request):
    return render(request, "x.html")
@dataclass
class Point(Base):
    """Doc."""
    x: int = 0
    def __init__(self, x):
        self.x = x
    @property
    def size(self):
        return self.x
    async def load(self):
        return await get(self.x)
class Empty: pass
def f(a, b=1, *args, **kwargs) -> int:
    if a:
        return 1
    elif b:
        return 2
    else:
        return 3
try:
    f(1)
except ValueError as e:
    print(e)
try:
    f(2)
except Exception:
    pass
finally:
    close()
for x in range(3):
    print(x)
while True:
    break
with open("f") as fh:
    data = fh.read()
if __name__ == "__main__":
    main()
xs = [x * 2 for x in range(3) if x]
d = {k: v for k, v in d.items()}
g = lambda x: x + 1
assert x == 1, "no"
raise ValueError("x")
del d["a"]
x = a if b else c
print(f"{x}", end="")
a, b = b, a
global y
if x is None: pass
