import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createServiceApi, parseBaseUrl } from '../../src/main/service-api/index.ts'
import type { RecordId } from '../../src/shared/model/ids.ts'
import { SERVICE } from '../entries.ts'
import { newFolder, removeFolder, startCompanion, until, type Companion } from './companion.ts'
import { startFaultProxy, type Cut, type FaultProxy } from './fault-proxy.ts'

let child: ChildProcess
let serviceFolder: string
let serviceUrl: string
let proxy: FaultProxy
let companion: Companion
let folder: string

beforeAll(async () => {
  serviceFolder = newFolder()
  child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', SERVICE, '--port', '0', '--data-dir', serviceFolder],
    { env: { ...process.env, MEDIATRAY_API_KEY: 'secret' }, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  if (child.stdout === null) throw new Error('it has an output')
  const [line] = await new Promise<string[]>((resolve, reject) => {
    createInterface({ input: child.stdout ?? process.stdin }).once('line', (first) => resolve([first]))
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)))
  })
  serviceUrl = z.object({ baseUrl: z.string() }).parse(JSON.parse(line ?? '')).baseUrl
})
afterAll(async () => {
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  await ended
  removeFolder(serviceFolder)
})

let ids = 0
beforeEach(async () => {
  folder = newFolder()
  proxy = await startFaultProxy(serviceUrl)
})
afterEach(async () => {
  await companion.stop()
  await proxy.close()
  removeFolder(folder)
})

/** The jobs of the service that were made of files of this name, asked for past the proxy. */
async function jobsOf(name: string) {
  const parsed = parseBaseUrl(serviceUrl)
  if (!parsed.ok) throw new Error('it has an address')
  const api = createServiceApi({ baseUrl: parsed.value, key: () => 'secret' })
  const listed = await api.jobs()
  await api.close()
  if (!listed.ok) throw new Error(listed.error.message)
  return listed.value.jobs.filter(({ fileName }) => fileName === name)
}

function isAskedAbout(id: RecordId): boolean {
  const state = companion.outbox.get(id)?.state
  return state?.kind === 'unknown' && state.leftToUser
}

const cuts: readonly Cut[] = [
  { kind: 'atOnce' },
  { kind: 'inRequest', bytes: 10 },
  { kind: 'inRequest', bytes: 200 },
  { kind: 'inRequest', bytes: 300 },
  { kind: 'inAnswer', bytes: 0 },
  { kind: 'inAnswer', bytes: 12 },
  { kind: 'inAnswer', bytes: 200 },
  { kind: 'silence' },
]

describe('a wire to the built-in service that breaks while a job is handed over', () => {
  it.each(cuts.map((cut) => [Object.values(cut).join(' '), cut] as const))(
    '(%s) loses nothing and doubles nothing',
    async (_, cut) => {
      ids += 1
      const name = `photo-${ids}.png`
      companion = startCompanion({ baseUrl: proxy.baseUrl, folder, newId: () => `r${ids}` })
      companion.block('paused')
      proxy.cutNext('POST /api/jobs', [cut])
      const id = companion.submit(name)
      await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } }).toFile(
        join(folder, name),
      )
      companion.block(null)
      await until('all is settled', () => !companion.sender.busy())
      expect(proxy.made()).toBe(1)
      // Two minutes of this time are over in a second, and absence may be concluded only before: on a busy machine it is asked.
      if (isAskedAbout(id)) {
        expect(await jobsOf(name)).toEqual([])
        expect(companion.sender.resolve(id, { kind: 'sendAgain' })).toBe(true)
        await until('all is settled again', () => !companion.sender.busy())
      }
      const made = await jobsOf(name)
      expect(made).toHaveLength(1)
      expect(companion.history.details(id)?.facts.jobId).toBe(made[0]?.jobId)
      expect(companion.outbox.list()).toEqual([])
    },
  )
})
