-- Sends prepared requests in turn, each thread from another position on, and
-- prints the results in one line. WRK_REQUESTS names the file of requests: for
-- each one, a line with its length and then its bytes. WRK_ADDRESSES has the servers,
-- which the threads take in turn.
local threads = 0
local servers = {}

for host, port in os.getenv("WRK_ADDRESSES"):gmatch("(%S+):(%d+)") do
  servers[#servers + 1] = { host = host, port = port }
end

function setup(thread)
  local server = servers[threads % #servers + 1]
  thread.addr = wrk.lookup(server.host, server.port)[1]
  thread:set("number", threads)
  threads = threads + 1
end

function init()
  requests = {}
  local f = assert(io.open(os.getenv("WRK_REQUESTS"), "rb"))
  local length = f:read("*n")
  while length do
    f:read(1) -- the end of the line
    requests[#requests + 1] = f:read(length)
    length = f:read("*n")
  end
  f:close()
  at = (number * 7919) % #requests
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("measured %d %d %d %d %d %d %d %d %d %d\n",
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
    e.connect, e.read, e.write, e.status, e.timeout))
end
