/** Converts folder IDs from users to rclone addresses. An ID can't refer to another remote and is never parsed as an option. */
import type { ReasonCode } from './failure/failure.ts'
import { withoutSlashesBehind } from './paths.ts'

/** A remote in rclone's configuration. */
export type Remote = {
  readonly name: string
  /** The back end, such as `drive` (Google Drive), `webdav` or `dropbox`. */
  readonly type: string
}

/** Whether the name is valid before the colon of an rclone address and refers to a single remote. */
export const isRemoteName = (name: string): boolean => /^[^-\s:,/\\="'][^:,/\\="'\p{Cc}]*$/u.test(name)

export type FolderAddress = {
  /** Options that select the folder, each as one argument with its value. */
  readonly options: readonly string[]
  /** The prefix for paths within the folder: `remote:` or `remote:path/`. */
  readonly prefix: string
  /** The address of the folder itself. */
  readonly folder: string
}

export type AddressResult =
  | { readonly ok: true; readonly address: FolderAddress }
  | { readonly ok: false; readonly problem: FolderIdProblem }

export type FolderIdProblem = Extract<ReasonCode, `id${string}`>

const LONGEST_ID = 1_000

/**
 * Checks an ID regardless of the back end. Section 2: a folder ID is "not a sharing link".
 * @returns undefined for a valid ID
 */
export function folderIdProblem(id: string): FolderIdProblem | undefined {
  if (id.trim() === '') return 'idEmpty'
  if (id.length > LONGEST_ID) return 'idTooLong'
  if (/\p{Cc}/u.test(id)) return 'idUnusual'
  if (isLink(id)) return 'idIsLink'
  return id.split(/[/\\]/).some((part) => part === '.' || part === '..') ? 'idLeadsOut' : undefined
}

const isLink = (id: string): boolean =>
  /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(id) || /^\s*(www\.|(drive|docs)\.google\.com)/i.test(id)

/** Back ends that give access to a whole computer, where a leading slash means the root directory. */
const WHOLE_COMPUTERS: ReadonlySet<string> = new Set(['local', 'sftp'])

/**
 * Returns the rclone address of a folder. For Google Drive, the ID identifies the folder. For all other back ends, the ID is a path below
 * the remote, and `/` is the remote itself. For a whole computer, a path with a leading slash starts at the root directory.
 */
export function folderAddress({ name, type }: Remote, id: string): AddressResult {
  const problem = folderIdProblem(id)
  if (problem !== undefined) return { ok: false, problem }
  const root = `${name}:`
  if (type === 'drive') {
    if (!/^[\w-]+$/.test(id)) return { ok: false, problem: 'idNotOfDrive' }
    const options = [`--drive-root-folder-id=${id}`]
    return { ok: true, address: { options, prefix: root, folder: root } }
  }
  const path = withoutSlashesBehind(WHOLE_COMPUTERS.has(type) ? id : id.replace(/^\/+/, ''))
  const isWholeComputer = path === '' && WHOLE_COMPUTERS.has(type)
  const folder = `${root}${isWholeComputer ? '/' : path}`
  const prefix = path === '' ? folder : `${folder}/`
  return { ok: true, address: { options: [], prefix, folder } }
}

/** Returns the ID of a remote's topmost folder. Google Drive has an alias for it. */
export const rootFolderId = ({ type }: Remote): string => (type === 'drive' ? 'root' : '/')

/**
 * Returns the ID of a subfolder.
 * @param listed the ID that Google Drive lists for the subfolder; ignored for other back ends
 */
export function childFolderId({ type }: Remote, parent: string, name: string, listed?: string): string {
  if (type === 'drive') return listed ?? ''
  if (parent === '/') return WHOLE_COMPUTERS.has(type) ? `/${name}` : name
  return `${withoutSlashesBehind(parent)}/${name}`
}

/** The format of IDs in Google Drive links. */
const ID_IN_LINK = /^[\w-]{10,}$/

/**
 * Extracts a folder ID from user input: an ID, a path or a link. Most back ends use paths, so only the service can check whether
 * the folder exists.
 * @returns null if the text doesn't contain one
 */
export function driveFolderId(text: string): string | null {
  const trimmed = text.trim()
  if (folderIdProblem(trimmed) === undefined) return trimmed
  if (!URL.canParse(trimmed)) return null
  const url = new URL(trimmed)
  const inPath = /\/folders\/([\w-]+)/.exec(url.pathname)?.[1]
  const id = inPath ?? url.searchParams.get('id')
  return id !== null && ID_IN_LINK.test(id) ? id : null
}
