-- KEYS: the index of keys, the index of expiries, then entries. ARGV: time, then the keys of these entries. Removes those
-- that have expired; one may have been written again since it was found. Returns the number of removed entries.
local removed = 0
for at = 2, #ARGV do
  local key = ARGV[at]
  local expires = redis.call('ZSCORE', KEYS[2], key)
  if expires and tonumber(expires) <= now then
    redis.call('DEL', KEYS[at + 1])
    redis.call('ZREM', KEYS[1], key)
    redis.call('ZREM', KEYS[2], key)
    removed = removed + 1
  end
end
return removed
