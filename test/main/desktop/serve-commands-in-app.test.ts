import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { takeOwnership } from '../../../src/main/database/index.ts'
import { serveCommandsInApp } from '../../../src/main/desktop/serve-commands-in-app.ts'
import { makeFolder } from '../../../src/node/make-folder.ts'
import { connectOwner } from '../../../src/node/owner-link/connect-owner.ts'
import { readAddress } from '../../../src/node/owner-link/proof.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const WITHIN = { timeout: 15_000 }

/** What the app does when something happens to its data folder. */
async function serving() {
  const data = join(temporaryFolder(), 'data')
  makeFolder(data)
  const lock = takeOwnership(data)
  if (lock === undefined) throw new Error('the folder has an owner')
  let lost = 0
  let replaced = 0
  const unused = {} as Parameters<typeof serveCommandsInApp>[0]
  const served = serveCommandsInApp({
    ...unused,
    paths: { ...unused.paths, data },
    timing: systemTiming,
    lock,
    onLost: () => (lost += 1),
    onReplaced: () => (replaced += 1),
    log: () => undefined,
  })
  onTestFinished(async () => {
    await served.stop()
    served.release()
  })
  await expect.poll(() => readAddress(data), WITHIN).toBeDefined()
  return { data, served, lost: () => lost, replaced: () => replaced }
}

it('the app quits for an installer, but not for a container that ends', async () => {
  const { data, replaced } = await serving()
  for (const type of ['end', 'update'] as const) {
    const { link } = (await connectOwner(data, { hear: () => undefined, closed: () => undefined })) ?? {}
    link?.send({ type })
    link?.end()
  }
  await expect.poll(replaced, WITHIN).toBe(1)
})

itInLongSuite(
  'the app quits if another process has taken its lock, and leaves the service to it',
  async () => {
    const { data, served, lost } = await serving()
    rmSync(join(data, 'owner.lock'))
    const other = takeOwnership(data)
    expect(other).toBeDefined()
    await expect.poll(lost, WITHIN).toBe(1)
    expect([served.isLost(), served.builtIn()]).toEqual([true, 'leave'])
    other?.release()
  },
)

itInLongSuite.skipIf(process.platform === 'win32')(
  'the app restores its lock and its address if something removes them, and quits if another folder is there',
  async () => {
    const { data, lost } = await serving()
    for (const name of ['owner.lock', 'owner.key']) rmSync(join(data, name))
    await expect.poll(() => readAddress(data), WITHIN).toBeDefined()
    expect([lost(), takeOwnership(data)]).toEqual([0, undefined])
    renameSync(data, `${data}-moved`)
    makeFolder(data)
    await expect.poll(lost, WITHIN).toBe(1)
  },
)
