/**
 * Starts like the built-in service and then does what `--behaviour` says. Each start is noted in the data folder with its
 * arguments; the key is written to stderr, as a careless service might.
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
    behaviour: { type: 'string', default: 'serve' },
  },
})
const [line] = await once(process.stdin.setEncoding('utf8'), 'data')
const key = String(line).trim()
const { behaviour } = values
appendFileSync(join(values['data-dir'], 'starts.jsonl'), `${JSON.stringify({ port: values.port, key })}\n`)

if (behaviour === 'fail') {
  console.error(`cannot go on with ${key}`)
  process.exit(7)
}
if (behaviour === 'babble') console.log('hello')
if (behaviour !== 'stubborn') process.stdin.on('end', () => process.exit(0))

const server = createServer((request, response) => {
  if (request.url === '/api/crash') process.exit(9)
  const health = request.url === '/api/health'
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify(health ? { status: 'ok', version: '1.0.81', activeJobs: 0 } : { image: [], video: [] }),
  )
})
if (behaviour !== 'hang') {
  server.listen(Number(values.port), '127.0.0.1', () => {
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    console.log(JSON.stringify({ event: 'listening', baseUrl: `http://127.0.0.1:${port}/api` }))
  })
} else setInterval(() => {}, 1_000)
