import { extractFile } from '@electron/asar'
import { join } from 'node:path'
import { isNativePackage, moduleNotices } from '../notices/modules.ts'
import { makeNotices, NOTICES } from '../notices/notices.ts'
import { filesOf } from './archive-files.ts'
import { bundledModules } from './bundled-modules.ts'
import { moduleName } from './check-archive.ts'

/**
 * Whether everything that is shipped has a notice, and the notices are shipped. That native code has one for each of its parts, making
 * them finds out.
 *
 * @returns what is wrong
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
      : [`${NOTICES} is out of date: npm run notices`]),
  ]
}
