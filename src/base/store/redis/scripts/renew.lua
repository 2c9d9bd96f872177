-- KEYS: the lease. ARGV: time, number, lifetime in milliseconds, lifetime of the memory. Returns the new expiry; empty if
-- the lease is lost.
local fence, ttl, memory = ARGV[2], ARGV[3], ARGV[4]
local lease = redis.call('HMGET', KEYS[1], 'fence', 'holder', 'expires')
if lease[1] ~= fence or not lease[2] or is_over(lease[3]) then
  return ''
end
local expires = text(now + ttl)
redis.call('HSET', KEYS[1], 'expires', expires)
redis.call('PEXPIRE', KEYS[1], memory)
return expires
