/** Electron's fuses: what the packaged program can be made to do from outside. Each is a decision that somebody wrote down. */
import { FuseV1Options, FuseVersion, type FuseV1Config } from '@electron/fuses'

export const fuseDecisions: Readonly<Record<FuseV1Options, boolean>> = {
  // Else anybody could run scripts with the app's name, signature and rights.
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  // There are no cookies to encrypt, and the key for them would be asked of the keychain at every start.
  [FuseV1Options.EnableCookieEncryption]: false,
  // The app's code is this archive and nothing beside it, and (where the system can check it) unchanged.
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  // There is no snapshot of our own for the main process.
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  // The page comes from app://; a file:// page has no more rights here than in a browser.
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // Quicker WebAssembly (HEIC photos), as Electron has it by default.
  [FuseV1Options.WasmTrapHandlers]: true,
}

/** Flipping fails when this Electron has a fuse that nobody has decided about. */
export const fuseConfig: FuseV1Config = {
  version: FuseVersion.V1,
  strictlyRequireAllFuses: true,
  // Flipping changes the program, and Apple silicon starts none whose signature does not fit.
  resetAdHocDarwinSignature: true,
  ...fuseDecisions,
}
