import type { WatchFolder } from '../src/shared/model/watch-folder.ts'

/** A watched folder whose files become jobs at once, with the service's default preset. */
export const watchFolder = (path: string, output: string, more: Partial<WatchFolder> = {}): WatchFolder => ({
  id: 'w',
  path,
  enabled: true,
  recursive: false,
  presets: [],
  output: { kind: 'folder', path: output },
  variations: 1,
  grouping: 'separate',
  windowMs: 0,
  ...more,
})
