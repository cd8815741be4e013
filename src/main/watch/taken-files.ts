import { flag, integer, nullable, table, text } from '../database/index.ts'

/** A fingerprint without the device, whose number may change when the computer starts again. */
export const fingerprintColumns = {
  size: integer,
  mtime: integer,
  changed: integer,
  born: integer,
  inode: text,
} as const

/**
 * The files that watched folders are done with. `taking` is the key of the submission that is being created with a file. `takenAs` and
 * `takenAt` are the path and the time, in ms since 1970, at which the same content was first taken.
 */
export const Files = table(
  'taken_files',
  {
    folder: text,
    path: text,
    ...fingerprintColumns,
    content: nullable(text),
    isDoubtful: flag,
    taking: nullable(text),
    takenAs: text,
    takenAt: integer,
  },
  {
    key: ['folder', 'path'],
    indexes: {
      path: '(path)',
      inode: '(inode)',
      content: '(content) WHERE content IS NOT NULL',
      taken: '(folder, takenAs, takenAt)',
      taking: '(taking) WHERE taking IS NOT NULL',
    },
  },
)
