import type { BaseUrl } from './base-url.ts'
import { createCalls, type Calls } from './calls.ts'
import { createRequests, type ServiceApiOptions } from './requests.ts'
import { createTransfers, type Transfers } from './transfers.ts'

/**
 * A Local Media Job service, route by route (section 4). Nothing throws: whatever can go wrong is a `ServiceError`.
 * Every request is sent exactly once, redirects are not followed, and an answer is only believed once it has parsed.
 */
export interface ServiceApi extends Calls, Transfers {
  readonly baseUrl: BaseUrl
  /** Ends all connections; what is under way fails. */
  close(): Promise<void>
}

export function createServiceApi(options: ServiceApiOptions): ServiceApi {
  const requests = createRequests(options)
  const { baseUrl, close } = requests
  return { baseUrl, ...createCalls(requests), ...createTransfers(requests), close }
}
