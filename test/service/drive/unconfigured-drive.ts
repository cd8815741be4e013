import { failure } from '../../../src/shared/failure/failure.ts'
import type { Drive } from '../../../src/service/drive/index.ts'

/** No drive is configured: the status reports that, and jobs that need a drive are refused (412). */
export const unconfiguredDrive: Drive = {
  readiness: () =>
    Promise.resolve({
      status: { clientConfigured: false, connected: false, email: null, scope: null },
      ready: false,
      notReady: failure('rcloneMissing'),
    }),
  close: () => Promise.resolve(),
}
