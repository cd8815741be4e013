import type { Configuration } from 'electron-builder'
import type { UpdateTrust } from '../../src/main/updates/update-trust.ts'
import { afterPacking } from './after-pack.ts'
import { carriedParts } from './carried-node.ts'
import { packagedFor, type Publisher } from './publisher.ts'

export const LICENCE_OF_PACKAGES = 'GPL-3.0-or-later'

/**
 * What electron-builder.yml leaves open. A package says of itself that it is under the licence that it is under as a whole, because of
 * what it carries; package.json says it of the sources.
 *
 * @throws Error, in a sentence, where something is missing that has to be carried
 */
export function configurationFor(root: string, publisher: Publisher, trust: UpdateTrust): Configuration {
  const { extraMetadata, ...published } = packagedFor(publisher)
  return {
    ...published,
    ...carriedParts(root),
    extraMetadata: { ...extraMetadata, license: LICENCE_OF_PACKAGES },
    afterPack: afterPacking(trust),
  }
}
