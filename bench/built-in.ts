/** Runs the built-in service in a separate process with Mediatray's client connected to it, for one benchmark. */
import { join } from 'node:path'
import { systemTiming } from '../src/node/timing.ts'
import { createBuiltInService, spawnService, type BuiltInService } from '../src/main/connection/index.ts'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../src/main/service-api/index.ts'
import { built } from './build.ts'
import { temporaryFolder } from './temporary-folder.ts'

export type Bench = {
  readonly api: ServiceApi
  readonly baseUrl: string
  readonly key: string
  /** Contains the benchmark's files and the service's data. Removed at the end. */
  readonly folder: string
} & AsyncDisposable

export async function startForBench(): Promise<Bench> {
  const folder = await temporaryFolder()
  const service = createBuiltInService({
    spawn: spawnService(process.execPath, built('service/main.js'), [
      '--disable-warning=ExperimentalWarning',
    ]),
    dataDir: join(folder.path, 'service'),
    timing: systemTiming,
    limits: { crashes: 1 },
  })
  const { baseUrl, key } = await listening(service)
  const parsed = parseBaseUrl(baseUrl)
  if (!parsed.ok) throw new Error(parsed.why)
  const api = createServiceApi({ baseUrl: parsed.value, key: () => key })
  return {
    api,
    baseUrl,
    key,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      await api.close()
      await service.stop()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function listening(service: BuiltInService): Promise<{ readonly baseUrl: string; readonly key: string }> {
  return new Promise((resolve, reject) => {
    service.onChange((state) => {
      if (state.kind === 'running') resolve(state)
      if (state.kind === 'failed') reject(new Error(state.reason))
    })
    service.start()
  })
}
