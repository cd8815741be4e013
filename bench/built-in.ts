/** The built-in service as a process of its own, with our client in front of it, for one benchmark. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startBuiltInService } from '../src/main/cli/index.ts'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../src/main/service-api/index.ts'

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
  const entry = resolve(import.meta.dirname, '..', 'src', 'service', 'main.ts')
  const started = await startBuiltInService(entry, join(folder, 'service'), process.env)
  if (!started.ok) throw new Error(started.why)
  const { service } = started
  const parsed = parseBaseUrl(service.baseUrl)
  if (!parsed.ok) throw new Error(parsed.why)
  const api = createServiceApi({ baseUrl: parsed.value, key: () => service.key })
  return {
    api,
    baseUrl: service.baseUrl,
    key: service.key,
    folder,
    async close() {
      await api.close()
      await service.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
