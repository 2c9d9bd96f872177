-- KEYS: the entry. Returns its value, version and expiry; nothing if it is absent or expired.
local entry = redis.call('HMGET', KEYS[1], 'value', 'version', 'expires')
if not entry[2] or is_over(entry[3]) then
  return {}
end
return entry
