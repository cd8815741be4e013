/** Measures the time from the end of a job in the built-in service until the app knows of it, and so shows its notification. */
import { copyFile, mkdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createBuiltInService, createConnection, spawnService } from '../src/main/connection/index.ts'
import { openCore, type Core } from '../src/main/core/index.ts'
import { createSettings, openSettingsFile } from '../src/main/settings/settings.ts'
import { systemTiming } from '../src/node/timing.ts'
import type { PartDetails } from '../src/shared/model/job.ts'
import { ROOT } from './build.ts'
import { median } from './measure.ts'
import { atMost, type BenchRow } from './row.ts'
import { createSessionKeyStore } from '../test/main/connection/session-key-store.ts'

const JOBS = 7

/** @param folder created if it is missing */
export async function benchNotification(folder: string): Promise<BenchRow> {
  await mkdir(folder, { recursive: true })
  const photo = join(folder, 'photo.jpg')
  await copyFile(join(ROOT, 'assets/samples/dawn-upright.jpg'), photo)
  const core = openAppCore(folder)
  try {
    const waits: number[] = []
    for (let job = 0; job < JOBS; job++) waits.push(await waitOfOneJob(core, photo, folder))
    const note = `median of ${JOBS}, longest ${Math.max(...waits)} ms`
    return atMost('end of the job until the app knows, built-in service', median(waits), 'ms', 300, note)
  } finally {
    await core.close()
  }
}

/** Opens the app without a window, connected to the built-in service. */
export function openAppCore(folder: string): Core {
  const entry = join(ROOT, 'src/service/main.ts')
  const settings = createSettings(openSettingsFile(join(folder, 'settings.json')))
  const keyStore = createSessionKeyStore()
  const builtIn = createBuiltInService({
    spawn: spawnService(process.execPath, entry, ['--disable-warning=ExperimentalWarning']),
    dataDir: join(folder, 'service'),
    timing: systemTiming,
  })
  const core = openCore({
    dataDir: folder,
    settings,
    connection: createConnection({ settings, keyStore, builtIn, timing: systemTiming }),
    defaultOutput: join(folder, 'out'),
    timing: systemTiming,
    log: () => {},
  })
  core.connection.useBuiltIn()
  return core
}

/** Returns the delay in ms. The service and the app share a clock. */
async function waitOfOneJob(core: Core, photo: string, folder: string): Promise<number> {
  const finished = Promise.withResolvers<number>()
  const stop = core.events.on('partFinished', ({ endedAt, outcome }: PartDetails) => {
    if (endedAt === null || outcome?.kind !== 'done') finished.reject(new Error('the job failed'))
    else finished.resolve(Date.now() - endedAt)
  })
  const { size } = await stat(photo)
  core.drafts.store.add([{ path: photo, name: basename(photo), kind: 'image', size }], [])
  core.drafts.store.change({ output: { kind: 'folder', path: join(folder, 'out') }, done: 'again' })
  await core.drafts.start({ split: false, grace: 0 })
  try {
    return await finished.promise
  } finally {
    stop()
  }
}
