import type { DriveStatus } from '../../shared/api/resources.ts'

export type DriveReadiness = {
  readonly status: DriveStatus
  /** Why no job can use the drive, in words for the person who asked for it. */
  readonly notReady: string
}

/** The cloud drive that jobs may read from and deliver to. */
export type Drive = {
  readiness(): Promise<DriveReadiness>
}

/** No drive is set up: the status says so, and jobs that want one are turned down (412). */
export const unconfiguredDrive: Drive = {
  readiness: () =>
    Promise.resolve({
      status: { clientConfigured: false, connected: false, email: null, scope: null },
      notReady: 'No cloud drive is configured. Use local files and an output folder on this computer.',
    }),
}
