local json = require("json")
local M = {}
function M.add(a, b) return a + b end
function M:run(x) self.x = x end
local function twice(x) return x * 2 end
function main()
  if x then print(x) end
  if x == 1 then run() else stop() end
  if a then one() elseif b then two() end
  for i = 1, 3 do print(i) end
  for k, v in pairs(t) do print(k, v) end
  while true do break end
  repeat x = x + 1 until x > 3
  local t = { a = 1, 2, ["c"] = 3 }
  t.a = 2
  t[1] = 3
  obj:call(1)
  print("a" .. "b")
  local f = function(a) return a end
  pcall(function() error("x") end)
  return M
end
return M
