import type { BaseUrl } from './base-url.ts'
import { createCalls, type Calls } from './calls.ts'
import { createRequests, type ServiceApiOptions } from './requests.ts'
import { createTransfers, type Transfers } from './transfers.ts'

/**
 * Client of a Local Media Job service, one method per route (section 4). Nothing throws: every failure is a `ServiceError`. Each
 * request is sent exactly once, redirects aren't followed, and responses are validated before use.
 */
export interface ServiceApi extends Calls, Transfers {
  readonly baseUrl: BaseUrl
  /** Closes all connections; pending requests fail. */
  close(): Promise<void>
}

export function createServiceApi(options: ServiceApiOptions): ServiceApi {
  const requests = createRequests(options)
  const { baseUrl, close } = requests
  return { baseUrl, ...createCalls(requests), ...createTransfers(requests), close }
}
