import { isDeviceName, UNSAFE_IN_NAMES } from './paths.ts'

/** In characters. */
const LONGEST_SUBFOLDER = 100

export type SubfolderProblem = 'empty' | 'separator' | 'dots' | 'character' | 'tooLong' | 'reserved'

/** Checks the name of a subfolder for results; undefined if it is valid. It must be a single folder that every system accepts. */
export function subfolderProblem(name: string): SubfolderProblem | undefined {
  if (name.trim() === '') return 'empty'
  if (/[/\\]/.test(name)) return 'separator'
  if (/^\.{1,2}$/.test(name) || /[. ]$/.test(name) || name.startsWith(' ')) return 'dots'
  if (UNSAFE_IN_NAMES.test(name)) return 'character'
  if (name.length > LONGEST_SUBFOLDER) return 'tooLong'
  return isDeviceName(name) ? 'reserved' : undefined
}
