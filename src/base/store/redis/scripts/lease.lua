-- KEYS: the lease. ARGV: time, holder, lifetime in milliseconds, lifetime of the memory. Returns 'granted', the number and
-- the expiry; or 'held', the holder and the remaining milliseconds.
local holder, ttl, memory = ARGV[2], ARGV[3], ARGV[4]
local lease = redis.call('HMGET', KEYS[1], 'fence', 'holder', 'expires')
if lease[2] and not is_over(lease[3]) then
  return {'held', lease[2], text(lease[3] - now)}
end
-- The time in microseconds is higher than any number before, also after the server has lost its data.
local fence = text(math.max(micros, (lease[1] or 0) + 1))
local expires = text(now + ttl)
redis.call('HSET', KEYS[1], 'fence', fence, 'holder', holder, 'expires', expires)
redis.call('PEXPIRE', KEYS[1], memory)
return {'granted', fence, expires}
