import type { Configuration } from 'electron-builder'
import type { UpdateTrust } from '../../src/main/updates/update-trust.ts'
import { afterPacking, requirePublisherName } from './after-pack.ts'
import { carriedParts } from './carried-node.ts'
import { packagedFor, type Publisher } from './publisher.ts'

export const PACKAGE_LICENSE = 'GPL-3.0-or-later'

/**
 * Completes electron-builder.yml. A package as a whole is under the license that its contents require. package.json names only the license
 * of the sources.
 * @throws Error with a sentence if a required part of the package is missing
 */
export function configurationFor(root: string, publisher: Publisher, trust: UpdateTrust): Configuration {
  const { extraMetadata, ...published } = packagedFor(publisher)
  return {
    ...published,
    ...carriedParts(root),
    extraMetadata: { ...extraMetadata, license: PACKAGE_LICENSE },
    afterPack: afterPacking(trust),
    // electron-builder warns about this hook if nothing is signed.
    ...(trust.signed && trust.key === null ? { afterSign: requirePublisherName } : {}),
  }
}
