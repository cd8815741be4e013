/** What the app keeps is taken away under it: that is said, not passed over (point 15). */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { run, temporaryFolder } from '../main/cli/command.ts'
import { KEY, scriptedService, type Reading } from '../main/cli/scripted-service.ts'
import { createWorld } from './model/world.ts'

test('a data folder that is moved away is said while the app runs, and no longer when it is back', async () => {
  const world = createWorld()
  onTestFinished(() => world.close())
  world.start()
  const notices = () => world.core()?.state.get().notices
  const elsewhere = `${world.folder}-elsewhere`
  renameSync(world.folder, elsewhere)
  await world.time.advance(6_000)
  expect(notices()).toEqual([{ kind: 'dataGone', folder: world.folder }])
  renameSync(elsewhere, world.folder)
  await world.time.advance(6_000)
  expect(notices()).toEqual([])
})

test('a command whose data folder is deleted while it waits says so and does not end with “done”', async () => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  const photo = join(folder, 'harbour.jpg')
  writeFileSync(photo, 'x')
  const reading = (): Reading => {
    if (service.created.length > 0) rmSync(data, { recursive: true, force: true })
    return { status: 'processing' }
  }
  const service = await scriptedService({ reading })
  onTestFinished(() => service.close())
  const env = { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: data }
  const ran = await run(['submit', photo, '--wait', '--json', '--base-url', service.baseUrl], { env })
  expect(ran.code).toBe(7)
  expect(ran.events).toContainEqual({
    event: 'notice',
    message: expect.stringContaining('were deleted or moved'),
  })
})
