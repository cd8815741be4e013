import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { isFreePort, startServiceRun } from '../../../src/main/connection/service-run.ts'
import type { ChildEnd } from '../../../src/node/child-process.ts'
import { queuedJob } from '../../job-samples.ts'
import { holdTime } from '../watch/held-time.ts'

const LISTENING = JSON.stringify({ event: 'listening', baseUrl: 'http://127.0.0.1:4000/api' })

/** A service run whose process is controlled by the test, in virtual time. */
function run() {
  const time = holdTime()
  const stdout = new PassThrough()
  const end = Promise.withResolvers<ChildEnd>()
  const done: string[] = []
  let started: { readonly args: readonly string[]; readonly key: string } | undefined
  const service = startServiceRun({
    spawn(options) {
      started = options
      return {
        stdout,
        ended: end.promise,
        writeLine: (line) => done.push(line),
        terminate: () => done.push('terminate'),
        kill: () => done.push('kill'),
      }
    },
    dataDir: '/data',
    port: 4000,
    key: 'the-key',
    patience: 30_000,
    after: time.timing.after,
  })
  const heard: string[] = []
  service.onListening((baseUrl) => heard.push(baseUrl))
  return {
    ...time,
    service,
    started,
    done,
    heard,
    say: (line: string) => stdout.write(`${line}\n`),
    end: (how: Partial<ChildEnd> = {}) => end.resolve({ code: 0, signal: null, stderrTail: '', ...how }),
  }
}

it('the service process receives its port and data folder, and exits when this process does', () => {
  const { started } = run()
  expect(started).toEqual({
    args: ['--port', '4000', '--data-dir', '/data', '--exit-with-parent'],
    key: 'the-key',
  })
})

it('the service process has no startup timeout after reporting that it listens', async () => {
  const { say, heard, done, dueWithin } = run()
  expect(dueWithin(30_000)).toBe(1)
  say(LISTENING)
  await expect.poll(() => heard).toEqual(['http://127.0.0.1:4000/api'])
  expect([done, dueWithin(60_000)]).toEqual([[], 0])
})

it.each(['hello', '{"event":"started"}', '{"event":"listening"}'])(
  'a process whose output starts with %s is not the service, and is killed',
  async (line) => {
    const { say, heard, done } = run()
    say(line)
    await expect.poll(() => done).toEqual(['kill'])
    expect(heard).toEqual([])
  },
)

it('a process that prints nothing before the timeout is killed', () => {
  const { done, pass } = run()
  pass(29_999)
  expect(done).toEqual([])
  pass(1)
  expect(done).toEqual(['kill'])
})

it('the last report determines the outcomes of the service’s jobs, and invalid messages are ignored', async () => {
  const { service, say } = run()
  const reported = () => service.lastJobs().map(({ jobId }) => jobId)
  say(LISTENING)
  say('{"event":"ended","jobs":[{"jobId":""}]}')
  say('not JSON')
  expect(reported()).toEqual([])
  say(JSON.stringify({ event: 'ended', jobs: [queuedJob('one', ['a.jpg'], undefined, '')] }))
  await expect.poll(() => reported()).toEqual(['one'])
  say('something else')
  say('{"event":"ended"}')
  say('{"event":"other","jobs":[]}')
  await new Promise(setImmediate)
  expect(reported()).toEqual(['one'])
})

it('the run reports the end of each job, and nothing else', async () => {
  const { service, say } = run()
  let ended = 0
  service.onJobEnded(() => void ended++)
  say(LISTENING)
  say('{"event":"jobEnded"}')
  say('{"event":"ended","jobs":[]}')
  say('{"event":"job"}')
  say('jobEnded')
  say('{"event":"jobEnded"}')
  await expect.poll(() => ended).toBe(2)
  expect(service.lastJobs()).toEqual([])
})

it('the reason for the end contains the last line of output, but never the key', async () => {
  const { service, end, dueWithin } = run()
  end({ code: 7, stderrTail: 'first\nno luck with the-key and the-key' })
  const reason = await service.ended
  expect(reason).toMatch(/7.*: no luck with … and …$/)
  expect(reason).not.toContain('first')
  expect(dueWithin(60_000)).toBe(0)
})

it('without any output, the reason describes how the process ended, and long output is truncated', async () => {
  const quiet = run()
  quiet.end({ code: 7, stderrTail: ' \n' })
  expect(await quiet.service.ended).not.toMatch(/:\s*$/)
  const long = run()
  long.end({ code: 7, stderrTail: 'x'.repeat(900) })
  expect((await long.service.ended).match(/x+$/)?.[0]).toHaveLength(500)
})

it('the service process is asked to exit first, and killed if it takes too long', () => {
  const { service, say, done, pass } = run()
  say(LISTENING)
  service.stop(200)
  expect(done).toEqual(['terminate'])
  pass(199)
  expect(done).toEqual(['terminate'])
  pass(1)
  expect(done).toEqual(['terminate', 'kill'])
})

it('the service process is not killed if it exits in time', async () => {
  const { service, end, done, dueWithin } = run()
  service.stop(200)
  end()
  await service.ended
  await new Promise(setImmediate)
  expect([done, dueWithin(60_000)]).toEqual([['terminate'], 0])
})

it('a port counts as free until a program listens on it', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  expect(await isFreePort(port)).toBe(false)
  await new Promise((resolve) => server.close(resolve))
  expect(await isFreePort(port)).toBe(true)
  expect(await isFreePort(port)).toBe(true)
})
