/**
 * The last part of a path. Either slash separates: services run on every system, and a path may come from another one
 * than this.
 */
export const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** What no file name may hold on one system or another, and what can't be seen, or makes a name look like something it isn't. */
export const UNSAFE_IN_NAMES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*\uFFFD]/u
