/**
 * Watches a folder in a separate process that kills itself at the nth step around a submission (0: never), or is killed from
 * outside. Prints `watching` when it starts, `submitted` for each submission, and `still` when every known file has been
 * submitted.
 */
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { openState } from '../../../src/main/core/open-state.ts'
import { planDraft } from '../../../src/main/outbox/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { createProcessedFiles, createWatchFolders } from '../../../src/main/watch/index.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { stepsUntil } from '../../doomed.ts'
import { newJobId, openOutboxIn } from '../outbox/drafts.ts'

const [root = '', dieAt, wanted = '0'] = process.argv.slice(2)
const { step } = stepsUntil(dieAt)

const outbox = openOutboxIn(root)
const watch = createWatchFolders({
  settings: createSettings(openSettingsFile(join(root, 'settings.json'))),
  store: createProcessedFiles(openState(join(root, 'state.db'), Date.now).connection, Date.now),
  async start(draft, key) {
    step()
    const plan = planDraft(draft, { presets: null, drive: null, seesFiles: true }, newJobId)
    if (!plan.ok) return plan
    const entered = await outbox.enqueue(plan.submissions, { key })
    step()
    writeSync(1, 'submitted\n')
    return { ok: true, ids: entered.map(({ id }) => id), jobs: [] }
  },
  wasStarted: (key) => outbox.wasEnqueued(key),
  confirmStarted(key) {
    step()
    outbox.forgetKey(key)
    step()
  },
  isUnderWay: () => false,
  busyFolders: () => [],
  endedInto: () => [],
  endedWatched: () => [],
  takePlaced: () => undefined,
  mounts: { of: () => Promise.resolve(undefined) },
  newKey: randomUUID,
  serviceOf: () => ({ kind: 'builtIn', presets: null }),
  timing: systemTiming,
  onTrouble: () => {},
  log: () => {},
  stableMs: 60,
  checkMs: 500,
  many: 100_000,
})
await watch.whenScanned()
writeSync(1, 'watching\n')
while ((watch.list()[0]?.taken ?? 0) < Number(wanted)) await new Promise((next) => setTimeout(next, 20))
writeSync(1, 'still\n')
await watch.close()
outbox.close()
