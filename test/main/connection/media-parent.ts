/** Starts the app's media processes, reports that, and waits to be killed: `node media-parent.ts <data folder>`. */
import { once } from 'node:events'
import { join } from 'node:path'
import { spawnService } from '../../../src/main/connection/index.ts'
import { startWorker } from '../../../src/media/start-worker.ts'
import { connectService } from '../../../src/main/connection/service-link.ts'
import { PERMISSIONS } from '../../../src/node/confinement.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { PROGRAM_VERSION } from '../../../src/node/version.ts'
import { SERVICE, WORKER } from '../../entries.ts'

const nodeOptions = ['--disable-warning=ExperimentalWarning']
const [dataDir = ''] = process.argv.slice(2)

const service = spawnService(
  process.execPath,
  SERVICE,
  nodeOptions,
)({
  args: ['--port', '0', '--data-dir', dataDir, '--owner', PROGRAM_VERSION, '--alone-ms', '1'],
})
const pictures = startWorker('thumbnails', { path: WORKER, confinement: PERMISSIONS })
const answered = new Promise<void>((resolve) => pictures.onMessage(() => resolve()))
const input = { path: join(dataDir, 'nothing.jpg'), pixels: 56 }
pictures.send({ kind: 'ask', id: 1, name: 'thumbnail', input })
await Promise.all([once(service.stdout, 'data'), answered])
// Until the service has an owner, it ends with its parent.
await connectService(dataDir, systemTiming.after, 60_000)
process.send?.('up')
