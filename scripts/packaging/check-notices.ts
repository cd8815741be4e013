import { extractFile } from '@electron/asar'
import { join } from 'node:path'
import { isNativePackage, moduleNotices } from '../notices/modules.ts'
import { makeNotices, NOTICES } from '../notices/notices.ts'
import { filesOf } from './archive-files.ts'
import { bundledModules } from './bundled-modules.ts'
import { moduleName } from './check-archive.ts'

/**
 * Checks that everything shipped has a notice, and that the notices are shipped.
 * Generating the notices already checks the components of native libraries.
 * @returns the problems
 */
export function checkNotices(archive: string, root: string): readonly string[] {
  const noticed = new Set(moduleNotices(root).map(({ installedAs }) => installedAs))
  const packed = filesOf(archive).flatMap(({ path }) => moduleName(path) ?? [])
  const shipped = new Set([...packed, ...bundledModules(join(root, 'dist'))])
  return [
    ...[...shipped]
      .filter((name) => !noticed.has(name) && !isNativePackage(name))
      .map((name) => `the module ${name} is shipped without a notice`),
    ...(extractFile(archive, NOTICES).toString() === makeNotices(root)
      ? []
      : [`${NOTICES} is out of date. Type: npm run notices`]),
  ]
}
