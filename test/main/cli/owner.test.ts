/** When the owner of a data folder may end, because nothing goes on without the user. */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openOwner } from '../../../src/main/cli/index.ts'
import { fastTiming, run, temporaryFolder } from './command.ts'

const SAMPLE = resolve(import.meta.dirname, '../../../assets/samples/dawn-upright.jpg')

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
  const owner = openOwner({
    env,
    cwd,
    home: cwd,
    platform: 'linux',
    timing: fastTiming(60),
    node: process.execPath,
    builtInEntry: '/nowhere',
    powerSupplies: '/nowhere',
    log: () => undefined,
    hide: () => undefined,
  })
  onTestFinished(async () => owner.close())
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
