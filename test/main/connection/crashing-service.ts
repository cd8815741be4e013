/** Starts like the built-in service and then follows `--behavior`. Records the port of each launch in the data folder. */
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { followOwners } from '../../../src/service/follow-owners.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'data-dir': { type: 'string', default: '.' },
    owner: { type: 'string', default: '' },
    behavior: { type: 'string', default: 'serve' },
  },
})
const { behavior } = values
appendFileSync(join(values['data-dir'], 'starts.jsonl'), `${JSON.stringify({ port: values.port })}\n`)

if (behavior === 'fail') {
  console.error('cannot go on')
  process.exit(7)
}
let hadOwner = false
const end = () => process.exit(0)
process.stdin.on('end', () => hadOwner || end()).resume()

const server = createServer((request, response) => {
  if (request.url === '/api/crash') process.exit(9)
  const health = request.url === '/api/health'
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify(health ? { status: 'ok', version: '1.0.81', activeJobs: 0 } : { image: [], video: [] }),
  )
})
server.listen(Number(values.port), '127.0.0.1', () => void listening())

async function listening(): Promise<void> {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const baseUrl = `http://127.0.0.1:${port}/api`
  const owners = await followOwners(values['data-dir'], {
    version: values.owner,
    serving: { baseUrl, key: 'a-key' },
    steer: () => (hadOwner = owners.hadOwner()),
    onEnd: end,
  })
  console.log(JSON.stringify({ event: 'listening', baseUrl }))
}
