import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RecordId } from '../../src/shared/model/ids.ts'
import { API_KEY, type RunningService, startService } from '../conformance/running-service.ts'
import { newFolder, removeFolder, startCompanion, until, type Companion } from './companion.ts'
import { firstOf } from './long-suite.ts'
import { startFaultProxy, type Cut, type FaultProxy } from './fault-proxy.ts'

let service: RunningService
let proxy: FaultProxy
let companion: Companion
let folder: string

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

let ids = 0
beforeEach(async () => {
  folder = newFolder()
  proxy = await startFaultProxy(service.baseUrl)
})
afterEach(async () => {
  await companion.stop()
  await proxy.close()
  removeFolder(folder)
})

/** Returns the service's jobs for this file name, bypassing the proxy. */
const jobsOf = async (name: string) => (await service.list()).jobs.filter(({ fileName }) => fileName === name)

function isUncertain(id: RecordId): boolean {
  const state = companion.outbox.get(id)?.state
  return state?.kind === 'unknown' && state.leftToUser
}

const cuts: readonly Cut[] = [
  { kind: 'inAnswer', bytes: 12 },
  { kind: 'atOnce' },
  { kind: 'inRequest', bytes: 10 },
  { kind: 'inRequest', bytes: 200 },
  { kind: 'inRequest', bytes: 300 },
  { kind: 'inAnswer', bytes: 0 },
  { kind: 'inAnswer', bytes: 200 },
  { kind: 'silence' },
]

describe('a connection to the built-in service that breaks during a submission', () => {
  it.each(firstOf(cuts).map((cut) => [Object.values(cut).join(' '), cut] as const))(
    '(%s) neither loses nor duplicates a job',
    async (_, cut) => {
      ids += 1
      const name = `photo-${ids}.png`
      companion = startCompanion({ baseUrl: proxy.baseUrl, folder, newId: () => `r${ids}` })
      companion.block('paused')
      companion.setKey(API_KEY)
      proxy.cutNext('POST /api/jobs', [cut])
      const id = companion.submit(name)
      await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } }).toFile(
        join(folder, name),
      )
      companion.block(null)
      const isSettled = () => isUncertain(id) || companion.outbox.list().length === 0
      await until('everything is idle', () => companion.isIdle() && isSettled())
      expect(proxy.made()).toBe(1)
      // The app concludes that the job is absent only within two minutes of accelerated time, about a second. A busy machine can
      // take longer, even more than once, and then the app asks the user.
      while (isUncertain(id)) {
        expect(await jobsOf(name)).toEqual([])
        expect(companion.sender.resolve(id, { kind: 'sendAgain' })).toBe(true)
        await until('everything is idle again', () => companion.isIdle() && isSettled())
      }
      const made = await jobsOf(name)
      expect(made).toHaveLength(1)
      expect(companion.history.details(id)?.facts.jobId).toBe(made[0]?.jobId)
      expect(companion.outbox.list()).toEqual([])
    },
  )
})
