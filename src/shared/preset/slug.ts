import { isDeviceName } from '../paths.ts'

/**
 * Turns a name into a slug that every file system accepts: lower-case letters and digits of any script, with dashes for all other
 * characters.
 * @returns at most 60 characters; `preset` if nothing remains
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
  if (short === '') return 'preset'
  return isDeviceName(short) ? `${short}-preset` : short
}
