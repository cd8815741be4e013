/**
 * electron-builder's hook between packing and signing. Its own `electronFuses` brings an older @electron/fuses, which does not
 * know every fuse of this Electron.
 */
import { flipFuses } from '@electron/fuses'
import { LinuxPackager, type AfterPackContext } from 'electron-builder'
import { join } from 'node:path'
import { fuseConfig } from './fuses.ts'

export async function afterPack({
  appOutDir,
  electronPlatformName,
  packager,
}: AfterPackContext): Promise<void> {
  await flipFuses(join(appOutDir, programName(packager, electronPlatformName)), fuseConfig)
}

function programName(packager: AfterPackContext['packager'], platform: string): string {
  if (packager instanceof LinuxPackager) return packager.executableName
  return `${packager.appInfo.productFilename}.${platform === 'win32' ? 'exe' : 'app'}`
}
