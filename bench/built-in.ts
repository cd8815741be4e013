/** The built-in service as a process of its own, with our client in front of it, for one benchmark. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemTiming } from '../src/node/timing.ts'
import {
  createBuiltInService,
  createSessionKeyStore,
  spawnService,
  type BuiltInService,
} from '../src/main/connection/index.ts'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../src/main/service-api/index.ts'
import { buildAll, built } from './build.ts'

export type Bench = {
  readonly api: ServiceApi
  readonly baseUrl: string
  readonly key: string
  /** For files of the benchmark; removed with everything else. */
  readonly folder: string
  close(): Promise<void>
}

export async function startForBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-bench-'))
  await buildAll()
  const entry = built('service/main.js')
  const service = createBuiltInService({
    spawn: spawnService(process.execPath, entry, ['--disable-warning=ExperimentalWarning']),
    dataDir: join(folder, 'service'),
    keyStore: createSessionKeyStore(),
    timing: systemTiming,
    preferredPort: 0,
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
    folder,
    async close() {
      await api.close()
      await service.stop()
      await rm(folder, { recursive: true, force: true })
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

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
