/**
 * Shortens the identities of a request, which has at most 64 KiB. Files that were added together are usually on one disk, belong to the
 * same user and have neighboring inodes. For most of them, the distance from the previous inode is therefore enough.
 */
import type { FileIdentity } from './file-identity.ts'

/** A whole identity, a distance in base 36, or '' if the file's identity isn't known. */
export type ShortIdentity = string

/** The parts that identities of neighboring files share, and the inode. Identities with a path aren't shortened. */
type Parts = { readonly device: string; readonly inode: bigint; readonly rights: string }

const partsOf = (identity: FileIdentity): Parts | undefined => {
  const [, device = '', inode = '', rights = ''] = /^(\d+):(\d{1,20}):(\d+:\d+:\d+)$/.exec(identity) ?? []
  return inode === '' ? undefined : { device, inode: BigInt(inode), rights }
}

/** Shortens an identity. @param before the previous known identity */
export function shortIdentity(identity: FileIdentity, before: FileIdentity | undefined): ShortIdentity {
  const own = partsOf(identity)
  const last = before === undefined ? undefined : partsOf(before)
  if (own === undefined || last === undefined) return identity
  if (own.device !== last.device || own.rights !== last.rights) return identity
  return (own.inode - last.inode).toString(36)
}

export function shortIdentities(identities: readonly FileIdentity[]): ShortIdentity[] {
  let before: FileIdentity | undefined
  return identities.map((identity) => {
    const short = shortIdentity(identity, before)
    if (identity !== '') before = identity
    return short
  })
}

const DISTANCE = /^-?[0-9a-z]{1,13}$/

/** Restores the whole identities. A distance without a previous identity stays as it is. It matches no file's identity. */
export function wholeIdentities(short: readonly ShortIdentity[]): FileIdentity[] {
  let before: FileIdentity | undefined
  return short.map((one) => {
    const last = before === undefined ? undefined : partsOf(before)
    const identity = last !== undefined && DISTANCE.test(one) ? beyond(last, fromBase36(one)) : one
    if (identity !== '') before = identity
    return identity
  })
}

const beyond = ({ device, inode, rights }: Parts, distance: bigint): FileIdentity =>
  `${device}:${inode + distance}:${rights}`

function fromBase36(text: string): bigint {
  const digits = text.replace('-', '')
  const value = Array.from(digits).reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
  return digits === text ? value : -value
}
