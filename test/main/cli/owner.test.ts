/** When the owner of a data folder may end, because nothing goes on without the user. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { openOwner } from '../../../src/main/cli/index.ts'
import { SERVICE } from '../../entries.ts'
import { fastTiming, realTiming, run, temporaryFolder } from './command.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const SAMPLE = resolve(import.meta.dirname, '../../../assets/samples/dawn-upright.jpg')

type Place = { readonly cwd: string; readonly env: Record<string, string> }

function openTestOwner({ cwd, env }: Place, timing = fastTiming(60), builtInEntry = '/nowhere') {
  const owner = openOwner({
    env,
    cwd,
    home: cwd,
    platform: 'linux',
    timing,
    node: process.execPath,
    builtInEntry,
    powerSupplies: '/nowhere',
    log: () => undefined,
    hide: () => undefined,
  })
  onTestFinished(async () => owner.close())
  return owner
}

/** An owner with a submission to a service that isn't running. */
async function waitingOwner() {
  const cwd = temporaryFolder()
  const data = join(cwd, 'data')
  mkdirSync(data)
  const settings = { connection: 'external', baseUrl: 'http://127.0.0.1:9/api' }
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ settings }))
  copyFileSync(SAMPLE, join(cwd, 'a.jpg'))
  const env = { MEDIATRAY_DATA_DIR: data, MEDIATRAY_API_KEY: 'key' }
  expect(await run(['submit', 'a.jpg', '--output', 'out'], { env, cwd })).toMatchObject({ code: 5 })
  const owner = openTestOwner({ cwd, env })
  return { owner, data }
}

it('waits a minute for a service that isn’t there, and leaves the rest to the next owner', async () => {
  const { owner } = await waitingOwner()
  expect([owner.busy(), owner.core.busy()]).toEqual([true, true])
  await expect.poll(() => owner.busy()).toBe(false)
  expect(owner.core.outbox.list()).toHaveLength(1)
})

it('doesn’t wait for work whose data folder was deleted', async () => {
  const { owner, data } = await waitingOwner()
  rmSync(data, { recursive: true })
  await expect.poll(() => owner.core.state.get().notices).toContainEqual({ kind: 'dataGone', folder: data })
  expect(owner.busy()).toBe(false)
})

/** A built-in service that only starts once `repair` has been called. */
function brokenService(folder: string) {
  const entry = join(folder, 'service.mjs')
  const starts = join(folder, 'starts')
  const isRepaired = join(folder, 'repaired')
  writeFileSync(
    entry,
    `import { appendFileSync, existsSync } from 'node:fs'
    appendFileSync(${JSON.stringify(starts)}, '.')
    if (!existsSync(${JSON.stringify(isRepaired)})) { console.error('no disk today'); process.exit(1) }
    await import(${JSON.stringify(pathToFileURL(SERVICE).href)})`,
  )
  return {
    entry,
    starts: () => readFileSync(starts, 'utf8').length,
    repair: () => writeFileSync(isRepaired, ''),
  }
}

itInLongSuite(
  'starts a built-in service that has failed again for a command, for new work and for a client, but not for the work that came back from it',
  async () => {
    const cwd = temporaryFolder()
    const env = { MEDIATRAY_DATA_DIR: join(cwd, 'data') }
    copyFileSync(SAMPLE, join(cwd, 'a.jpg'))
    const service = brokenService(cwd)
    let isLater = false
    const timing = { ...realTiming, monotonic: () => realTiming.monotonic() + (isLater ? 60_000 : 0) }
    const owner = openTestOwner({ cwd, env }, timing, service.entry)
    const submit = () => run(['submit', 'a.jpg', '--output', 'out'], { env, cwd, owner, timing })
    for (const starts of [1, 2]) {
      expect(await submit()).toMatchObject({ code: 5, stderr: expect.stringContaining('no disk today') })
      expect(service.starts()).toBe(starts)
    }
    owner.sendRest()
    expect(owner.core.connection.view().state.status).toBe('offline')
    isLater = true
    service.repair()
    owner.sendRest()
    await expect.poll(() => owner.core.outbox.list()).toEqual([])
    expect(service.starts()).toBe(3)
  },
)
