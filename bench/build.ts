import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

const root = path.resolve(import.meta.dirname, '..')

/** What people run is measured, not what it is made from: reading TypeScript takes longer than a photo. */
export async function buildAll(): Promise<void> {
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/build.ts'], {
    cwd: root,
  })
}

/** In `dist`, once it is built. */
export const built = (file: string): string => path.join(root, 'dist', file)
