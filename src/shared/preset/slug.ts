/**
 * A name in a form that every file system takes: letters and digits of any script in lower case, everything else a dash.
 *
 * @returns at most 60 characters; `preset` where nothing is left
 */
export function slugOf(name: string): string {
  const dashed = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
  const short = Array.from(dashed)
    .slice(0, 60)
    .join('')
    .replace(/^-+|-+$/g, '')
  return short === '' ? 'preset' : short
}
