import { extractFile } from '@electron/asar'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readUpdateTrust, UPDATE_TRUST_FILE } from '../../src/main/updates/update-trust.ts'
import { PACKAGE_LICENSE } from './configuration.ts'
import { EXAMPLE, EXAMPLE_TRUST, type PackFacts } from './pack-facts.ts'

/**
 * Checks that a package names its publisher and license everywhere it has to, and that the app looks for updates only at the
 * publisher's feed.
 * @returns the problems
 */
export function checkPublisher(resources: string, facts: PackFacts): readonly string[] {
  const feeds = [...readFileSync(join(resources, 'app-update.yml'), 'utf8').matchAll(/^url: (.*)$/gm)]
  const manifest: unknown = JSON.parse(extractFile(join(resources, 'app.asar'), 'package.json').toString())
  const named = facts.packages.flatMap(({ fpmArguments: given }) => [
    [given[given.indexOf('--url') + 1], EXAMPLE.homePage],
    [given[given.indexOf('--maintainer') + 1], EXAMPLE.contact],
    [given[given.indexOf('--license') + 1], PACKAGE_LICENSE],
  ])
  return [
    [feeds.map(([, url]) => url).join(), EXAMPLE.updateFeed],
    [Object(manifest).homepage, EXAMPLE.homePage],
    [Object(manifest).license, PACKAGE_LICENSE],
    [readUpdateTrust(join(resources, UPDATE_TRUST_FILE)).key, EXAMPLE_TRUST.key],
    ...named,
  ].flatMap(([found, given]) => (found === given ? [] : [`the package names ${found} instead of ${given}`]))
}
