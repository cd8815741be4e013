/**
 * Creates a folder that electron-builder and the fuses accept as Electron's Linux distribution, but that can't run.
 * Packing can then be checked where the real distribution isn't available.
 */
import { FuseState, FuseV1Options } from '@electron/fuses'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const ELF_MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0])
/** Start of a fuse wire: https://www.electronjs.org/docs/latest/tutorial/fuses */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const WIRE_VERSION = 1

/** Electron's defaults: each is the opposite of our decision, unless we keep Electron's choice. */
const AS_DELIVERED: Readonly<Record<FuseV1Options, boolean>> = {
  [FuseV1Options.RunAsNode]: true,
  [FuseV1Options.EnableCookieEncryption]: false,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: true,
  [FuseV1Options.EnableNodeCliInspectArguments]: true,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: false,
  [FuseV1Options.OnlyLoadAppFromAsar]: false,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: true,
  [FuseV1Options.WasmTrapHandlers]: true,
}

export async function makeDummyElectron(folder: string, version: string): Promise<void> {
  const put = async (path: string, content: string | Buffer) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  await put('electron', dummyProgram())
  await put('chrome-sandbox', ELF_MAGIC)
  await put('chrome_crashpad_handler', ELF_MAGIC)
  await put('version', version)
  await put('LICENSE', 'Electron’s license\n')
  await put('LICENSES.chromium.html', '<title>Chromium’s licenses</title>\n')
  for (const name of [
    'resources.pak',
    'icudtl.dat',
    'v8_context_snapshot.bin',
    'locales/en-US.pak',
    'locales/de.pak',
  ])
    await put(name, '')
  await chmod(join(folder, 'electron'), 0o755)
}

function dummyProgram(): Buffer {
  const wire = Object.values(AS_DELIVERED).map((on) => (on ? FuseState.ENABLE : FuseState.DISABLE))
  const padding = Buffer.alloc(4_096)
  return Buffer.concat([
    ELF_MAGIC,
    padding,
    Buffer.from(SENTINEL),
    Buffer.from([WIRE_VERSION, wire.length, ...wire]),
    padding,
  ])
}
