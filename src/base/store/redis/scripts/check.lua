-- KEYS: an entry of its own. Writes as the other scripts do, so that a server that accepts no writes refuses it.
redis.call('HSET', KEYS[1], 'checked', text(now))
redis.call('PEXPIRE', KEYS[1], 60000)
return 1
