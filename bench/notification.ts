/** From the end of the work in the built-in service to the moment in which the app has its notification shown. */
import { basename, join, resolve } from 'node:path'
import { copyFile, mkdir, stat } from 'node:fs/promises'
import type { Core } from '../src/main/core/index.ts'
import type { RecordDetails } from '../src/shared/model/work.ts'
import { median } from './built-in.ts'
import { openWorkingCore } from './open-core.ts'
import type { BenchRow } from './row.ts'

const TIMES = 7
const MOST_MS = 300

/** @param folder made when missing */
export async function benchNotification(folder: string): Promise<BenchRow> {
  await mkdir(folder, { recursive: true })
  const photo = join(folder, 'photo.jpg')
  await copyFile(resolve(import.meta.dirname, '../assets/samples/dawn-upright.jpg'), photo)
  const core = openWorkingCore(folder)
  try {
    const waits: number[] = []
    for (let time = 0; time < TIMES; time++) waits.push(await waitFor(core, photo, folder))
    const measured = median(waits)
    return {
      name: 'end of the work to its notification, built-in service',
      measured,
      unit: 'ms',
      budget: `≤ ${MOST_MS}`,
      met: measured <= MOST_MS,
      note: `median of ${TIMES}, the longest ${Math.max(...waits)} ms`,
    }
  } finally {
    await core.close()
  }
}

/** @returns in ms, by the clock that service and app have in common */
async function waitFor(core: Core, photo: string, folder: string): Promise<number> {
  const finished = Promise.withResolvers<number>()
  const stop = core.events.on('workFinished', ({ endedAt, outcome }: RecordDetails) => {
    if (endedAt === null || outcome?.kind !== 'done') finished.reject(new Error('the photo was not made'))
    else finished.resolve(Date.now() - endedAt)
  })
  const { size } = await stat(photo)
  core.drafts.store.add([{ path: photo, name: basename(photo), kind: 'image', size }], [])
  core.drafts.store.change({ output: { kind: 'folder', path: join(folder, 'out') } })
  await core.drafts.start({ split: false, grace: 0 })
  try {
    return await finished.promise
  } finally {
    stop()
  }
}
