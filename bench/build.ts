import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

export const ROOT = path.resolve(import.meta.dirname, '..')

/** Builds the bundles. Benchmarks run what users run: compiling TypeScript takes longer than processing a photo. */
export async function buildAll(): Promise<void> {
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/build.ts'], {
    cwd: ROOT,
  })
}

/** Returns the path of a file in `dist`. */
export const built = (file: string): string => path.join(ROOT, 'dist', file)
