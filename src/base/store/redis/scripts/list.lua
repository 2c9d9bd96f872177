-- KEYS: the index of keys, the index of expiries. ARGV: time, both ends of the range, the maximum number of keys. Returns
-- the last key of the range that was read (empty: no more follow), then the keys that have not expired.
local page = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
local found = {''}
if #page == tonumber(ARGV[4]) then
  found[1] = page[#page]
end
for _, key in ipairs(page) do
  local expires = redis.call('ZSCORE', KEYS[2], key)
  if not expires or tonumber(expires) > now then
    found[#found + 1] = key
  end
end
return found
