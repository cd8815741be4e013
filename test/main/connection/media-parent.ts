/** Starts what the app starts for media work, says so, and waits to be killed: `node media-parent.ts <data folder>`. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { spawnService } from '../../../src/main/connection/index.ts'
import { startPictureWorker } from '../../../src/media/start-worker.ts'
import { PERMISSIONS } from '../../../src/node/confinement.ts'

const source = (path: string) => fileURLToPath(new URL(`../../../src/${path}`, import.meta.url))
const nodeOptions = ['--disable-warning=ExperimentalWarning']
const [dataDir = ''] = process.argv.slice(2)

const service = spawnService(
  process.execPath,
  source('service/main.ts'),
  nodeOptions,
)({
  args: ['--port', '0', '--data-dir', dataDir, '--exit-with-parent'],
  key: 'a-key-of-this-test',
})
const pictures = startPictureWorker({ path: source('media/thumbnail-worker.ts'), confinement: PERMISSIONS })
const answered = new Promise<void>((resolve) => pictures.onMessage(() => resolve()))
pictures.send({ id: 1, path: source('nothing.jpg'), pixels: 56 })
await Promise.all([once(service.stdout, 'data'), answered])
process.send?.('up')
