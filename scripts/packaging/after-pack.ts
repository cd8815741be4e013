/** What is done between packing and signing: the fuses are set, and the build says how its updates are held against its publisher. */
import { flipFuses } from '@electron/fuses'
import { LinuxPackager, type AfterPackContext } from 'electron-builder'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UPDATE_TRUST_FILE, type UpdateTrust } from '../../src/main/updates/update-trust.ts'
import { fuseConfig } from './fuses.ts'

/** electron-builder's own `electronFuses` brings an older @electron/fuses, which does not know every fuse of this Electron. */
export const afterPacking =
  (trust: UpdateTrust) =>
  async ({ appOutDir, electronPlatformName, packager }: AfterPackContext): Promise<void> => {
    await flipFuses(join(appOutDir, programName(packager, electronPlatformName)), fuseConfig)
    await writeFile(
      join(packager.getResourcesDir(appOutDir), UPDATE_TRUST_FILE),
      `${JSON.stringify(trust)}\n`,
    )
  }

function programName(packager: AfterPackContext['packager'], platform: string): string {
  if (packager instanceof LinuxPackager) return packager.executableName
  return `${packager.appInfo.productFilename}.${platform === 'win32' ? 'exe' : 'app'}`
}
