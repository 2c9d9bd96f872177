-- KEYS: the entry, the index of keys, the index of expiries. ARGV: time, key, expected version (or 'any', 'absent').
-- Returns 1 if the entry was removed, 0 if there was none, -1 if the state is another.
local key, expected = ARGV[2], ARGV[3]
local current = version_of(KEYS[1])
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
