/** From a folder ID as a person gives it to what rclone is told. An ID never leaves its remote and never becomes an option. */

/** A connection that rclone has in its configuration. */
export type Remote = {
  readonly name: string
  /** The kind of back-end: `drive` is Google Drive, `webdav`, `dropbox` … */
  readonly type: string
}

/** What can stand before the colon of an address and mean this remote and nothing else. */
export const isRemoteName = (name: string): boolean => /^[^-\s:,/\\="'][^:,/\\="'\p{Cc}]*$/u.test(name)

export type FolderAddress = {
  /** Options that choose the folder, each bound to its value. */
  readonly options: readonly string[]
  /** What stands before a file's name, `remote:` or `remote:path/`. */
  readonly prefix: string
  /** The folder itself. */
  readonly folder: string
}

export type AddressResult =
  | { readonly ok: true; readonly address: FolderAddress }
  | { readonly ok: false; readonly problem: FolderIdProblem }

export type FolderIdProblem =
  | 'idEmpty'
  | 'idTooLong'
  | 'idUnusual'
  | 'idIsLink'
  | 'idLeadsOut'
  | 'idNotOfDrive'

/** In English, which the built-in service speaks to everybody. */
export const FOLDER_ID_PROBLEMS: Readonly<Record<FolderIdProblem, string>> = {
  idEmpty: 'The folder ID is empty',
  idTooLong: 'The folder ID is too long',
  idUnusual: 'The folder ID holds a character that no folder has in its name',
  idIsLink: 'This is a link, not a folder ID',
  idLeadsOut: 'A folder ID may not lead out of its folder with . or ..',
  idNotOfDrive: 'This is not the ID of a Google Drive folder: it is the last part of the folder’s address',
}

const LONGEST_ID = 1_000

/**
 * What is wrong with an ID whatever the back-end is; undefined where nothing is. Section 2: a folder ID is "not a sharing
 * link".
 */
export function folderIdProblem(id: string): FolderIdProblem | undefined {
  if (id.trim() === '') return 'idEmpty'
  if (id.length > LONGEST_ID) return 'idTooLong'
  if (/\p{Cc}/u.test(id)) return 'idUnusual'
  if (isLink(id)) return 'idIsLink'
  if (id.split(/[/\\]/).some((part) => part === '.' || part === '..')) {
    return 'idLeadsOut'
  }
  return undefined
}

const isLink = (id: string): boolean =>
  /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(id) || /^\s*(www\.|(drive|docs)\.google\.com)/i.test(id)

/** Back-ends whose root is a whole computer, where a leading slash has a meaning of its own. */
const WHOLE_COMPUTERS: ReadonlySet<string> = new Set(['local', 'sftp'])

/** Google Drive goes by the folder's ID; every other back-end by the path below its remote, where `/` is the whole remote. */
export function folderAddress({ name, type }: Remote, id: string): AddressResult {
  const problem = folderIdProblem(id)
  if (problem !== undefined) return { ok: false, problem }
  const root = `${name}:`
  if (type === 'drive') {
    if (!/^[\w-]+$/.test(id)) {
      return {
        ok: false,
        problem: 'idNotOfDrive',
      }
    }
    return {
      ok: true,
      address: { options: [`--drive-root-folder-id=${id}`], prefix: root, folder: root },
    }
  }
  const path = (WHOLE_COMPUTERS.has(type) ? id : id.replace(/^\/+/, '')).replace(/\/+$/, '')
  const isWholeComputer = path === '' && WHOLE_COMPUTERS.has(type)
  const folder = `${root}${isWholeComputer ? '/' : path}`
  const prefix = path === '' ? folder : `${folder}/`
  return { ok: true, address: { options: [], prefix, folder } }
}

/** As links of Google Drive carry it. */
const ID_IN_LINK = /^[\w-]{10,}$/

/**
 * The ID of a cloud drive's folder from an ID or a link to it; null where there is none in it. Most drives go by the folder's
 * path: only the service can tell whether it is there.
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
