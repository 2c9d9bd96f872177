-- KEYS: the lease. ARGV: time, holder. Returns 1 if the lease was this holder's and is ended.
local lease = redis.call('HMGET', KEYS[1], 'holder', 'expires')
if lease[1] ~= ARGV[2] or is_over(lease[2]) then
  return 0
end
redis.call('HDEL', KEYS[1], 'holder', 'expires')
return 1
