import { nodeAt, readJson } from './json-text.ts'

/** Whether a preset's JSON text defines how much variations differ. If so, new jobs ask for the number of variations. */
export function definesVariations(text: string): boolean {
  const { root } = readJson(text)
  return root !== undefined && nodeAt(root, 'variations') !== undefined
}
