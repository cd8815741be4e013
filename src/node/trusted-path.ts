/**
 * Resolves paths that the user named. Follows only links of this user and of root, because other users could replace theirs at any time.
 */
import { comparable } from '../shared/paths.ts'
import { lstat, readlink, realpath } from 'node:fs/promises'
import path from 'node:path'
import { hasCode } from './errors.ts'

/** Maximum number of links to follow, as on Linux. */
const MAX_LINKS = 40

/** Error code for another user's link. No system uses this code. */
const FOREIGN = 'FOREIGN_LINK'

export const isForeignLink = (error: unknown): boolean => hasCode(error, FOREIGN)

/**
 * Resolves all links. On Windows, also follows links of other users, because only administrators create links by default.
 * @param named absolute
 * @throws the file system's error; an error that `isForeignLink` recognizes
 */
export async function trustedRealPath(named: string): Promise<string> {
  const real = await realpath(named).catch(() => undefined)
  // Usually, no part of the path is a link.
  if (real === named || process.getuid === undefined) return real ?? realpath(named)
  const followed = await follow(named)
  const now = await realpath(followed)
  // Someone has put a link there in the meantime.
  if (comparable(now) !== comparable(followed)) throw foreignLink(followed)
  return now
}

/** Like `trustedRealPath`, for a path whose end may not exist yet or can't be entered. Keeps that end as it is. */
export async function trustedNewPath(named: string): Promise<string> {
  try {
    return await trustedRealPath(named)
  } catch (error) {
    const above = path.dirname(named)
    if (isForeignLink(error)) throw error
    return above === named ? named : path.join(await trustedNewPath(above), path.basename(named))
  }
}

/** Follows all links in the part of a path that exists. Only for comparisons: others could exchange their links at any time. */
export async function partlyRealPath(named: string): Promise<string> {
  try {
    return await realpath(named)
  } catch {
    const above = path.dirname(named)
    return above === named ? named : path.join(await partlyRealPath(above), path.basename(named))
  }
}

export const foreignLink = (link: string): Error =>
  Object.assign(new Error(`another user’s link isn’t followed, '${link}'`), { code: FOREIGN })

async function follow(named: string): Promise<string> {
  const user = process.getuid?.()
  const names = named.split('/')
  let real = '/'
  for (let links = 0; names.length > 0;) {
    const next = path.join(real, names.shift() ?? '')
    const found = await lstat(next)
    if (!found.isSymbolicLink()) real = next
    else {
      links += 1
      if (found.uid !== 0 && found.uid !== user) throw foreignLink(next)
      if (links > MAX_LINKS)
        throw Object.assign(new Error(`ELOOP: too many links, '${next}'`), { code: 'ELOOP' })
      const target = await readlink(next)
      names.unshift(...target.split('/'))
      if (path.isAbsolute(target)) real = '/'
    }
  }
  return real
}
