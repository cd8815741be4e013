/** The app reports a data folder that disappears while it runs (point 15). */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fastTiming, run } from '../main/cli/command.ts'
import { KEY, scriptedService, type Reading } from '../main/cli/scripted-service.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { createWorld } from './model/world.ts'

test.each([
  ['a data folder', ''],
  ['a database of a data folder', 'state.db'],
])('the app reports %s that is moved away, until it is back', async (_, part) => {
  const world = createWorld()
  onTestFinished(() => world.close())
  await world.start()
  const notices = () => world.core()?.state.get().notices
  const [moved, elsewhere] = [join(world.folder, part), `${world.folder}-elsewhere`]
  renameSync(moved, elsewhere)
  await world.time.advance(11_000)
  expect(notices()).toEqual([{ kind: 'dataGone', folder: world.folder }])
  renameSync(elsewhere, moved)
  await world.time.advance(11_000)
  expect(notices()).toEqual([])
})

test('a waiting command reports that its data folder was deleted, and doesn’t exit with “done”', async () => {
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
  const env = { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: data }
  const ran = await run(['submit', photo, '--wait', '--json', '--base-url', service.baseUrl], {
    env,
    // At the usual speed, a busy computer may exceed the time after which a command gives up a service.
    timing: fastTiming(5),
  })
  expect(ran.code).toBe(7)
  expect(ran.events.filter(({ event }) => event !== 'accepted' && event !== 'progress')).toEqual([
    {
      event: 'notice',
      message: `Mediatray’s data files were deleted or moved: ${data}. Mediatray no longer follows its jobs, and submissions that were not sent are lost.`,
    },
  ])
})
