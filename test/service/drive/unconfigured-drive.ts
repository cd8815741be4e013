import type { Drive } from '../../../src/service/drive/index.ts'

/** No drive is set up: the status says so, and jobs that want one are turned down (412). */
export const unconfiguredDrive: Drive = {
  readiness: () =>
    Promise.resolve({
      status: { clientConfigured: false, connected: false, email: null, scope: null },
      ready: false,
      notReady: 'No cloud drive is configured. Use local files and an output folder on this computer.',
    }),
  close: () => Promise.resolve(),
}
