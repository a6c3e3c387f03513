-- Appends turns to a session's stream, each once, and lets nothing stay beyond its time.
-- In Lua because "not yet there, then add" must be one step for two intakes at once.
-- KEYS: stream, seen, sessions, wake.  ARGV: now_ms, ttl_ms, session, wake_s, then received_ms, turn_id, turn ...
-- Answers 1 where the session has to be looked at and nobody was woken for it yet.
local function last_id(stream)
  local info = redis.call('XINFO', 'STREAM', stream)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then return info[i + 1] end
  end
end

local stream, seen, sessions = KEYS[1], KEYS[2], KEYS[3]
local now, ttl = tonumber(ARGV[1]), tonumber(ARGV[2])
-- At exactly 72 h a turn is gone already.
local oldest = string.format('%.0f', now - ttl + 1)
local added = 0
for i = 5, #ARGV, 3 do
  local received = tonumber(ARGV[i])
  if received > now - ttl and redis.call('ZADD', seen, 'NX', received, ARGV[i + 1]) == 1 then
    local done = redis.pcall('XADD', stream, string.format('%.0f-*', received), 't', ARGV[i + 2])
    if type(done) == 'table' and done.err then
      -- The clock went back, or another intake was faster: the newest id's time is as close as we get.
      redis.call('XADD', stream, string.match(last_id(stream), '^%d+') .. '-*', 't', ARGV[i + 2])
    end
    added = added + 1
  end
end
redis.call('XTRIM', stream, 'MINID', '=', oldest)
redis.call('ZREMRANGEBYSCORE', seen, '-inf', '(' .. oldest)
redis.call('ZREMRANGEBYSCORE', sessions, '-inf', '(' .. oldest)
if added > 0 then
  redis.call('ZADD', sessions, 'GT', now, ARGV[3])
  redis.call('PEXPIRE', stream, ARGV[2])
  redis.call('PEXPIRE', seen, ARGV[2])
  redis.call('PEXPIRE', sessions, ARGV[2])
end
local wake_s = tonumber(ARGV[4])
if wake_s > 0 and redis.call('SET', KEYS[4], 1, 'NX', 'EX', wake_s) then
  return 1
end
return 0
