-- KEYS: the entry, the index of keys, the index of expiries. ARGV: time, key, value, new version, expected version (or
-- 'any', 'absent'), lifetime in milliseconds or empty, lifetime of the memory. Returns 1, or 0 if the state is another.
local key, value, version, expected, ttl, memory = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local current = version_of(KEYS[1])
if expected ~= 'any' and expected ~= current then
  return 0
end
-- First, because only the first write of a script is refused if memory is short: then nothing is written.
if ttl == '' then
  redis.call('HSET', KEYS[1], 'value', value, 'version', version, 'expires', '')
  redis.call('PERSIST', KEYS[1])
  redis.call('ZREM', KEYS[3], key)
else
  local expires = text(now + ttl)
  redis.call('HSET', KEYS[1], 'value', value, 'version', version, 'expires', expires)
  redis.call('PEXPIRE', KEYS[1], memory)
  redis.call('ZADD', KEYS[3], expires, key)
end
redis.call('ZADD', KEYS[2], 0, key)
return 1
