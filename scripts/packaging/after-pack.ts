/** Runs between packing and signing: writes how the build verifies its updates, and sets the fuses. */
import { flipFuses } from '@electron/fuses'
import { LinuxPackager, type AfterPackContext } from 'electron-builder'
import { writeFile } from 'node:fs/promises'
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

function programName(packager: AfterPackContext['packager'], platform: string): string {
  if (packager instanceof LinuxPackager) return packager.executableName
  return `${packager.appInfo.productFilename}.${platform === 'win32' ? 'exe' : 'app'}`
}
