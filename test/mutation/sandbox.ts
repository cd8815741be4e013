import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a test may read of the project. */
const COPIED = ['src', 'test', 'scripts', 'bench', 'build', 'assets', 'docs'] as const
const COPIED_FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts'] as const

/**
 * A copy of the project whose sources can be mutated, so that the programs which tests start are mutated too, and nobody's own
 * files are touched. Temporary files lie in it as well: what a mutant leaves behind goes with it.
 */
export function createSandbox(project: string) {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
  const root = join(folder, 'project')
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  for (const name of [...COPIED, ...COPIED_FILES])
    cpSync(join(project, name), join(root, name), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'))
  // Some tests run as a user who owns nothing.
  for (const path of [folder, temporary]) chmodSync(path, 0o777)
  return { root, temporary, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export type Sandbox = ReturnType<typeof createSandbox>
