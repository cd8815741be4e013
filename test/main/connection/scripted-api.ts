import { createServiceApi, parseBaseUrl, type ServiceApi } from '../../../src/main/service-api/index.ts'
import type { Health, Presets } from '../../../src/shared/api/resources.ts'
import { succeeded, type Result } from '../../../src/shared/service-error.ts'

export type Script = {
  readonly baseUrl?: string
  readonly version?: string
  /** Answers to come, in order; when they have run out, all is well. */
  readonly health?: Result<Health>[]
  readonly presets?: Result<Presets>[]
}

/** The client of a service that answers what the test says. `asked` grows with each question. */
export function scriptApi({
  baseUrl = 'http://127.0.0.1:9/api',
  version = '1.0.81',
  health = [],
  presets = [],
}: Script = {}): { readonly api: ServiceApi; readonly asked: string[]; readonly isClosed: () => boolean } {
  const parsed = parseBaseUrl(baseUrl)
  if (!parsed.ok) throw new Error(`${baseUrl} is no base URL`)
  const asked: string[] = []
  let isClosed = false
  const api: ServiceApi = {
    ...createServiceApi({ baseUrl: parsed.value, key: () => 'a-key' }),
    health() {
      asked.push('health')
      return Promise.resolve(health.shift() ?? succeeded({ status: 'ok', version, activeJobs: 0 }))
    },
    presets() {
      asked.push('presets')
      return Promise.resolve(presets.shift() ?? succeeded({ image: [], video: [] }))
    },
    close() {
      isClosed = true
      return Promise.resolve()
    },
  }
  return { api, asked, isClosed: () => isClosed }
}
