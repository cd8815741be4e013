/** Runs between packing and signing: writes how the build verifies its updates, and sets the fuses. */
import { flipFuses } from '@electron/fuses'
import { LinuxPackager, type AfterPackContext } from 'electron-builder'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UPDATE_TRUST_FILE, type UpdateTrust } from '../../src/main/updates/update-trust.ts'
import { fuseConfig } from './fuses.ts'

/** electron-builder's own `electronFuses` uses an older @electron/fuses that lacks some of this Electron's fuses. */
export const afterPacking =
  (trust: UpdateTrust) =>
  async ({ appOutDir, electronPlatformName, packager }: AfterPackContext): Promise<void> => {
    await writeFile(
      join(packager.getResourcesDir(appOutDir), UPDATE_TRUST_FILE),
      `${JSON.stringify(trust)}\n`,
    )
    // Last, because on macOS this signs the app ad hoc with all its contents.
    await flipFuses(join(appOutDir, programName(packager, electronPlatformName)), fuseConfig)
  }

/**
 * Runs after signing. Without `publisherName`, the app would install updates by anyone, even unsigned ones. electron-builder takes the
 * name from the certificate, and leaves it out if it can't read one.
 * @throws Error that says what to set
 */
export async function requirePublisherName({
  appOutDir,
  electronPlatformName,
  packager,
}: Pick<AfterPackContext, 'appOutDir' | 'electronPlatformName'> & {
  readonly packager: Pick<AfterPackContext['packager'], 'getResourcesDir'>
}): Promise<void> {
  if (electronPlatformName !== 'win32') return
  const feed = join(packager.getResourcesDir(appOutDir), 'app-update.yml')
  if (!existsSync(feed) || /^publisherName:/m.test(await readFile(feed, 'utf8'))) return
  throw new Error(
    'app-update.yml has no publisherName. Set win.signtoolOptions.publisherName in electron-builder.yml.',
  )
}

function programName(packager: AfterPackContext['packager'], platform: string): string {
  if (packager instanceof LinuxPackager) return packager.executableName
  return `${packager.appInfo.productFilename}.${platform === 'win32' ? 'exe' : 'app'}`
}
