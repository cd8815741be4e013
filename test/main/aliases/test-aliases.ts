import { join } from 'node:path'
import { openAliases, type Aliases } from '../../../src/main/aliases/index.ts'

/** Aliases below a data folder. Its aliases are never swept. */
export const aliasesIn = (dataFolder: string): Aliases =>
  openAliases({
    folder: join(dataFolder, 'staged'),
    isOpen: () => true,
    log: () => undefined,
    beforeLinkChange: () => Promise.resolve(),
  })
