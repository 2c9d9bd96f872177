-- KEYS: the lease. ARGV: time, number. The number of the lease stays, so that the next is higher.
if redis.call('HGET', KEYS[1], 'fence') == ARGV[2] then
  redis.call('HDEL', KEYS[1], 'holder', 'expires')
end
return 1
