import { copyFile, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { jsonLines, runProcess, temporaryFolder } from './command.ts'

const SAMPLE = resolve(import.meta.dirname, '../../../assets/samples/dawn-upright.jpg')

test('a second command skips what the first one has done, without starting the service', async () => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  const photo = join(folder, 'a.jpg')
  await copyFile(SAMPLE, photo)
  const longAgo = new Date('2024-05-01T10:00:00Z')
  await utimes(photo, longAgo, longAgo)
  const run = (...args: string[]) =>
    runProcess(['--json', ...args], { env: { MEDIATRAY_DATA_DIR: data }, cwd: folder })
  const submit = (...flags: string[]) => run('submit', photo, '--preset', 'Thumbnail', ...flags)

  expect((await submit('--skip-done')).code).toBe(0)
  const second = await submit('--skip-done')
  expect(second.code).toBe(0)
  expect(jsonLines(second.stdout)).toMatchObject([
    { event: 'skipped', files: [{ path: photo, isDone: true, presets: ['Thumbnail'] }], left: 0 },
  ])
  const again = jsonLines((await submit('--again')).stdout)
  expect(again.at(-1)).toMatchObject({ event: 'finished', outcome: { kind: 'done' } })
  expect((await submit('--again', '--skip-done')).code).toBe(2)

  const [stats] = jsonLines((await run('stats')).stdout)
  expect(stats).toMatchObject({ event: 'stats', files: 2, saved: { files: 2 } })
}, 60_000)
