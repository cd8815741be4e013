import { stat } from 'node:fs/promises'

/** Whether something is at the path, or where a link there leads. Returns false if that can't be found out. */
export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** The same for a regular file. */
export const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
