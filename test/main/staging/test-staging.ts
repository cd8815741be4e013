import { join } from 'node:path'
import { openStaging, type Staging } from '../../../src/main/staging/index.ts'

/** Staging below a data folder. Its aliases are never swept. */
export const stagingIn = (dataFolder: string): Staging =>
  openStaging({
    folder: join(dataFolder, 'staged'),
    isOpen: () => true,
    log: () => undefined,
    beforeLinkChange: () => Promise.resolve(),
  })
