/**
 * The service with all that is kept in its data folder. It is loaded apart from what starts it: a worker that is expected is on its
 * way before this much code has been read.
 */
import { join } from 'node:path'
import type { DriveChoice } from '../node/rclone/index.ts'
import { createRcloneDrive } from './drive/index.ts'
import { openPresetStore } from './presets/presets.ts'
import { createService, type Service, type ServiceOptions } from './service.ts'

export type OpenServiceOptions = Omit<ServiceOptions, 'presets' | 'drive'> & {
  readonly driveChoice: DriveChoice
}

export async function openService({ driveChoice, ...options }: OpenServiceOptions): Promise<Service> {
  const { dataDir, log } = options
  const presets = await openPresetStore({ folder: join(dataDir, 'presets'), log })
  const drive = createRcloneDrive({
    dataDir,
    override: driveChoice,
    env: process.env,
    platform: process.platform,
    now: () => Date.now(),
    log,
  })
  return createService({ ...options, presets, drive })
}
