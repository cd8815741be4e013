/** What folders contain for the system's use. A person who wants one of these can still bring it in by itself. */
const SYSTEM_NAMES: ReadonlySet<string> = new Set([
  'thumbs.db',
  'desktop.ini',
  'icon\r',
  '__macosx',
  '$recycle.bin',
  'system volume information',
  'lost+found',
  '@eadir',
])

/** Folders that their systems show as one file, and whose inside is nobody's business. */
const PACKAGE = /\.(?:app|photoslibrary|photolibrary|lrdata|lrlibrary|bundle)$/i

/** Hidden and system files and folders are not looked at when a folder is brought in. */
export const isLeftOut = (name: string): boolean =>
  name.startsWith('.') || name.startsWith('~$') || SYSTEM_NAMES.has(name.toLowerCase())

export const isPackage = (folderName: string): boolean => PACKAGE.test(folderName)
