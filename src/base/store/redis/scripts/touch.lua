-- KEYS: the entry, the index of expiries. ARGV: time, key, lifetime in milliseconds or empty, lifetime of the memory.
-- Returns 1, or 0 if the entry is absent or expired.
local key, ttl, memory = ARGV[2], ARGV[3], ARGV[4]
local expires = redis.call('HGET', KEYS[1], 'expires')
if not expires or is_over(expires) then
  return 0
end
if ttl == '' then
  redis.call('HSET', KEYS[1], 'expires', '')
  redis.call('PERSIST', KEYS[1])
  redis.call('ZREM', KEYS[2], key)
else
  expires = text(now + ttl)
  redis.call('HSET', KEYS[1], 'expires', expires)
  redis.call('PEXPIRE', KEYS[1], memory)
  redis.call('ZADD', KEYS[2], expires, key)
end
return 1
