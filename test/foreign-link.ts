/** Links of another user. Only root can create them. */
import { lchownSync, symlinkSync } from 'node:fs'

export const OTHER_USER = 65_534

export const canMakeForeignLinks = process.getuid?.() === 0

export function makeForeignLink(target: string, link: string): void {
  symlinkSync(target, link)
  lchownSync(link, OTHER_USER, OTHER_USER)
}
