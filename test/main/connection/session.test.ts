import { expect, it } from 'vitest'
import { createSession } from '../../../src/main/connection/session.ts'
import type { ConnectionState } from '../../../src/shared/model/connection.ts'
import { failed, type ServiceError } from '../../../src/shared/service-error.ts'
import { holdTime } from '../watch/held-time.ts'
import { scriptApi, type Script } from './scripted-api.ts'

const down: ServiceError = { kind: 'notReachable', reason: 'ECONNREFUSED', message: 'no one there' }
const refused: ServiceError = { kind: 'unauthorized', reason: 'rejected', message: 'no' }

/** A session in virtual time, without random jitter in its backoff. */
function begin(script: Script = {}, strict = false) {
  const scripted = scriptApi(script)
  const time = holdTime()
  const told: ConnectionState['status'][] = []
  const session = createSession({
    api: scripted.api,
    timing: { after: time.timing.after, random: () => 1 },
    versionRule: () => ({ strict, accepted: [] }),
    patience: 60_000,
    onChecked: ({ status }) => told.push(status),
  })
  return { ...scripted, ...time, session, told }
}

/** Resolves when this many checks have been reported. */
const checked = (told: readonly unknown[], times: number) => expect.poll(() => told).toHaveLength(times)

it('checks an offline service at growing intervals, up to 30 seconds', async () => {
  const { session, told, dueWithin, pass } = begin({ health: Array.from({ length: 7 }, () => failed(down)) })
  await session.check()
  for (const [index, wait] of [2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
    expect(dueWithin(wait - 1)).toBe(0)
    pass(wait)
    await checked(told, index + 2)
  }
  pass(30_000)
  await checked(told, 8)
  expect(told).toEqual([...Array.from({ length: 7 }, () => 'offline'), 'online'])
  expect(dueWithin(600_000)).toBe(0)
})

it('resets the backoff once the service has been online', async () => {
  const { session, told, dueWithin, pass } = begin({ health: [failed(down), failed(down)] })
  await session.check()
  pass(2_000)
  await checked(told, 2)
  await session.check()
  expect(told).toEqual(['offline', 'offline', 'online'])
  session.checkAfter({ status: 'offline', reason: 'silent', detail: '' })
  expect([dueWithin(1_999), dueWithin(2_000)]).toEqual([0, 1])
})

it('rechecks a service with an unaccepted version once a minute, but never one that refuses the key', async () => {
  const other = begin({ version: '2.0.0' }, true)
  await other.session.check()
  expect([other.dueWithin(59_999), other.dueWithin(60_000)]).toEqual([0, 1])
  const closed = begin({ presets: [failed(refused)] })
  await closed.session.check()
  expect([closed.told, closed.dueWithin(600_000)]).toEqual([['keyRefused'], 0])
})

it('a manual check replaces a scheduled one', async () => {
  const { session, dueWithin } = begin({ health: [failed(down)] })
  await session.check()
  expect(dueWithin(2_000)).toBe(1)
  await session.check()
  expect(dueWithin(600_000)).toBe(0)
})

it('closes its connections when it ends, and doesn’t request or report anything afterwards', async () => {
  const { session, asked, told, dueWithin, isClosed } = begin()
  const check = session.check()
  session.end()
  expect([session.signal.aborted, isClosed()]).toEqual([true, true])
  await check
  await session.check()
  session.checkAfter({ status: 'wrongVersion', version: '2.0.0' })
  expect(told).toEqual([])
  expect(asked).toEqual(['health', 'presets'])
  expect(dueWithin(600_000)).toBe(0)
})

it('leaves no timer behind when it ends', async () => {
  const { session, dueWithin } = begin({ health: [failed(down)] })
  await session.check()
  session.end()
  expect(dueWithin(600_000)).toBe(0)
})
