import type { Configuration } from 'electron-builder'
import type { UpdateTrust } from '../../src/main/updates/update-trust.ts'
import { afterPacking } from './after-pack.ts'
import { carriedParts } from './carried-node.ts'
import { packagedFor, type Publisher } from './publisher.ts'

/**
 * What electron-builder.yml leaves open.
 *
 * @throws Error, in a sentence, where something is missing that has to be carried
 */
export const configurationFor = (root: string, publisher: Publisher, trust: UpdateTrust): Configuration => ({
  ...packagedFor(publisher),
  ...carriedParts(root),
  afterPack: afterPacking(trust),
})
