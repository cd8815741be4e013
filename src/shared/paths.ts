/**
 * The last part of a path. Either slash separates: services run on every system, and a path may come from another one
 * than this.
 */
export const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
