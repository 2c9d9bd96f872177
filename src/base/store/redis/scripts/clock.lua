-- The beginning of every script. ARGV[1] is the time in milliseconds since 1970 if a test determines it, else empty: then
-- the server's clock counts, which is the same for all processes of fumi.
local micros
if ARGV[1] == '' then
  local time = redis.call('TIME')
  micros = time[1] * 1000000 + time[2]
else
  micros = ARGV[1] * 1000
end
local now = math.floor(micros / 1000)

-- Numbers are doubles, exact below 2^53. `tostring` would round them to 14 digits.
local function text(number)
  return string.format('%.0f', number)
end

-- True if an expiry in milliseconds has passed. Empty: never.
local function is_over(expiry)
  return expiry ~= '' and tonumber(expiry) <= now
end

-- Returns the version of an entry; 'absent' if there is none or it has expired.
local function version_of(entry)
  local found = redis.call('HMGET', entry, 'version', 'expires')
  if not found[1] or is_over(found[2]) then
    return 'absent'
  end
  return found[1]
end
