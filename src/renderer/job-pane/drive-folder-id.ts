import { folderIdProblem } from '../../shared/drive-folder.ts'

/** As links of Google Drive carry it. */
const ID = /^[\w-]{10,}$/

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
  return id !== null && ID.test(id) ? id : null
}
