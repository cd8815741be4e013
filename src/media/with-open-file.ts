import { closeSync, openSync } from 'node:fs'

/** Opens a file, and closes it after `use`. Works synchronously, because asynchronous reading takes a tenth longer for a small photo. */
export function withOpenFile<T>(path: string, use: (file: number) => T, flags: 'r' | 'r+' = 'r'): T {
  const file = openSync(path, flags)
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}
