/** Records the end of a job and runs what follows, in a process that is killed while it does. */
import { join } from 'node:path'
import { messageAbout } from '../../../src/main/core/job-message.ts'
import { openHistory } from '../../../src/main/history/index.ts'
import {
  createHookRunner,
  createReceiverAddresses,
  createSigningKey,
  usesAfter,
} from '../../../src/main/hooks/index.ts'
import { Hooks } from '../../../src/shared/model/after-job.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { exampleReport } from '../../../src/shared/model/job-report.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { submissionOf } from '../history/sample-records.ts'
import { createSessionKeyStore } from '../connection/session-key-store.ts'

const [folder = '', chosen = ''] = process.argv.slice(2)
const hooks = { ...Hooks.parse(JSON.parse(chosen)), receivers: [] }
const history = openHistory({
  file: join(folder, 'history.db'),
  clock: () => systemTiming.clock(),
  log: () => {},
  hooks: {
    actionsAfter: (_watched, outcome) => usesAfter(hooks, outcome),
    isAwaited: () => false,
    replacesFrom: () => false,
  },
})
const runner = createHookRunner({
  queue: history.hooks,
  hooksFor: () => hooks,
  report: async (_job, id) => exampleReport(id, new Date()),
  message: (report) => messageAbout(report, 'en'),
  key: createSigningKey(createSessionKeyStore()),
  addresses: createReceiverAddresses(createSessionKeyStore()),
  timing: systemTiming,
  log: () => {},
})
history.recordSubmission(submissionOf('a', ['/photos/a.jpg']))
history.recordOutcome(asRecordId('a'), { kind: 'done', results: 1, uploaded: null }, systemTiming.clock())
runner.start()
