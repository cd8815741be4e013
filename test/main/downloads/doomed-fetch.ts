/** Fetches results in a separate process that kills itself at a given step: `doomed-fetch.ts URL FOLDER STEP`. */
import { join } from 'node:path'
import { openState } from '../../../src/main/core/open-state.ts'
import { createDownloads, createOrders } from '../../../src/main/downloads/index.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { stepsUntil } from '../../doomed.ts'
import { apiFor } from './results-service.ts'

const [url = '', folder = '', fatal] = process.argv.slice(2)
const { step } = stepsUntil(fatal)

const api = apiFor(url)
const id = asRecordId('r_1')
const downloads = createDownloads({
  orders: createOrders(openState(join(folder, 'state.db'), Date.now).connection),
  service: () => ({
    identity: 'it',
    api: {
      job: (jobId, options) => api.job(jobId, options),
      async download(jobId, options) {
        step()
        const saved = await api.download(jobId, options)
        step()
        return saved
      },
    },
  }),
  timing: systemTiming,
  onFetched(fetched) {
    step()
    console.log(JSON.stringify(fetched))
    void Promise.resolve().then(() => downloads.stop().then(() => api.close()))
  },
  onTrouble: () => undefined,
  onChange: step,
  log: () => undefined,
})
downloads.expect(id, join(folder, 'out'))
step()
downloads.begin({
  id,
  jobId: 'job-1',
  jobCreatedAt: null,
  service: 'it',
  outcome: { kind: 'done', results: 3, uploaded: null },
  endedAt: 1,
  results: [0, 1, 2].map((index) => ({ index, file: `in-${index}.jpg`, outputPath: '/remote/same.jpg' })),
  problems: [],
})
downloads.start()
