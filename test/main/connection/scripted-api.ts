import { createServiceApi, parseBaseUrl, type ServiceApi } from '../../../src/main/service-api/index.ts'
import type { Health, Presets } from '../../../src/shared/api/resources.ts'
import { succeeded, type Result } from '../../../src/shared/service-error.ts'

export type Script = {
  readonly baseUrl?: string
  readonly version?: string
  /** Responses to the next requests, in order. Once they are used up, every request succeeds. */
  readonly health?: Result<Health>[]
  readonly presets?: Result<Presets>[]
}

/** A client of a service with scripted responses. `asked` records each request. */
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
