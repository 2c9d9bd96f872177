-- KEYS: the index of expiries. ARGV: time, the maximum number of keys. Returns the keys of expired entries.
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', text(now), 'LIMIT', 0, ARGV[2])
