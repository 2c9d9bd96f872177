-- KEYS: the entry, the index of keys, the index of expiries. ARGV: time, key, expected version (or 'any', 'absent').
-- Returns 1 if the entry was removed, 0 if there was none, -1 if the state is another.
local key, expected = ARGV[2], ARGV[3]
local entry = redis.call('HMGET', KEYS[1], 'version', 'expires')
local current = entry[1]
if not current or is_over(entry[2]) then
  current = 'absent'
end
if expected ~= 'any' and expected ~= current then
  return -1
end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], key)
redis.call('ZREM', KEYS[3], key)
if current == 'absent' then
  return 0
end
return 1
