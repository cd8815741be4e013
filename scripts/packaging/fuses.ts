/** Electron's fuses: what the packaged program allows from outside. Each is an explicit decision. */
import { FuseV1Options, FuseVersion, type FuseV1Config } from '@electron/fuses'

export const fuseDecisions: Readonly<Record<FuseV1Options, boolean>> = {
  // Otherwise anyone could run scripts with the app's name, signature and permissions.
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  // There are no cookies to encrypt, and their key would require keychain access at every launch.
  [FuseV1Options.EnableCookieEncryption]: false,
  // The app's code comes only from this archive and, on systems that can check it, is unmodified.
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  // The main process has no custom snapshot.
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  // The page loads from app://; a file:// page has no more privileges than in a browser.
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // Faster WebAssembly (HEIC photos); Electron's default.
  [FuseV1Options.WasmTrapHandlers]: true,
}

/** Flipping fails if this Electron has a fuse without a decision. */
export const fuseConfig: FuseV1Config = {
  version: FuseVersion.V1,
  strictlyRequireAllFuses: true,
  // Flipping changes the program, and Apple silicon requires a valid signature.
  resetAdHocDarwinSignature: true,
  ...fuseDecisions,
}
