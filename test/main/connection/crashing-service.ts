/**
 * Starts like the built-in service and then follows `--behavior`. Records the port and key of each launch in the data folder, and
 * writes the key to stderr, as a careless service might.
 */
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'data-dir': { type: 'string', default: '.' },
    'exit-with-parent': { type: 'boolean' },
    'key-stdin': { type: 'boolean' },
    behavior: { type: 'string', default: 'serve' },
  },
})
const [line] = await once(process.stdin.setEncoding('utf8'), 'data')
const key = String(line).trim()
const { behavior } = values
appendFileSync(join(values['data-dir'], 'starts.jsonl'), `${JSON.stringify({ port: values.port, key })}\n`)

if (behavior === 'fail') {
  console.error(`cannot go on with ${key}`)
  process.exit(7)
}
if (behavior !== 'stubborn') process.stdin.on('end', () => process.exit(0))

const server = createServer((request, response) => {
  if (request.url === '/api/crash') process.exit(9)
  const health = request.url === '/api/health'
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify(health ? { status: 'ok', version: '1.0.81', activeJobs: 0 } : { image: [], video: [] }),
  )
})
server.listen(Number(values.port), '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  console.log(JSON.stringify({ event: 'listening', baseUrl: `http://127.0.0.1:${port}/api` }))
})
