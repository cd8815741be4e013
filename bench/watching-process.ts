/** The watching of bench/watch.ts, in a process whose memory and CPU are its own. Ends with its stdin. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSettings, openSettingsFile } from '../src/main/settings/settings.ts'
import { createWatchFolders, type WatchFoldersOptions } from '../src/main/watch/index.ts'

const [root = '', folders = '0', idleMs = '0', task = 'watch'] = process.argv.slice(2)
const SETTLE_MS = 2_000

const say = (event: string, facts: object = {}) =>
  process.stdout.write(`${JSON.stringify({ event, at: Date.now(), ...facts })}\n`)
const memory = () => {
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rssMiB: rss / 1024 / 1024, keptMiB: (heapUsed + external) / 1024 / 1024 }
}

const settings = createSettings(openSettingsFile(join(root, 'settings.json')))
settings.update({
  watchFolders: Array.from({ length: Number(folders) }, (_, n) => ({
    id: `w${n}`,
    path: join(root, `in-${n}`),
    enabled: true,
    recursive: true,
    preset: null,
    output: { kind: 'folder', path: join(root, 'out') },
    variations: 1,
    grouping: 'separate',
    windowMs: 0,
  })),
})

const options: WatchFoldersOptions = {
  settings,
  file: join(root, 'watch.db'),
  async start(draft) {
    const items = draft.source.kind === 'files' ? draft.source.items : []
    for (const { name } of items) say('submitted', { name, settleMs: SETTLE_MS })
    return { ok: true, ids: [] }
  },
  wasStarted: () => false,
  confirmStarted: () => {},
  running: () => [],
  resultPaths: () => [],
  newKey: randomUUID,
  timing: {
    clock: Date.now,
    monotonic: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  },
  onTrouble: () => {},
  log: () => {},
  settleMs: SETTLE_MS,
}

if (task === 'learn') {
  // The first time they are all new; nobody wants them, and after that they are known.
  const watch = createWatchFolders(options)
  await watch.whenScanned()
  for (const { id } of watch.list()) await watch.answer({ id, take: false })
  await watch.close()
  process.exit(0)
}

const before = memory()
const started = performance.now()
const watch = createWatchFolders(options)
await watch.whenScanned()
say('looked', { tookMs: performance.now() - started })

await sleep(2_000)
const cpu = process.cpuUsage()
await sleep(Number(idleMs))
const { user, system } = process.cpuUsage(cpu)
const after = memory()
say('idle', {
  cpuMs: (user + system) / 1000,
  rssMiB: after.rssMiB - before.rssMiB,
  keptMiB: after.keptMiB - before.keptMiB,
})

process.stdin.resume()
process.stdin.on('end', () => void watch.close().then(() => process.exit(0)))
