import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sweepOriginals } from '../../../../src/main/desktop/clipboard/temporary-originals.ts'
import { temporaryFolder } from '../../../temporary-folder.ts'
import { HOUR_MS } from '../../../../src/shared/durations.ts'

it('deletes copied images after a day, unless a job needs them', async () => {
  const folder = temporaryFolder()
  const now = Date.now()
  for (const [name, age] of [['new.png', 23], ['old.png', 25], ['needed.png', 99]] as const) {
    await writeFile(join(folder, name), 'x')
    const time = new Date(now - age * HOUR_MS)
    await utimes(join(folder, name), time, time)
  } // prettier-ignore
  await mkdir(join(folder, 'folder'))
  await sweepOriginals(folder, (path) => path.endsWith('needed.png'), now)
  expect((await readdir(folder)).toSorted()).toEqual(['folder', 'needed.png', 'new.png'])
  await sweepOriginals(join(folder, 'missing'), () => false, now)
})
