const ID = /^[\w-]{10,}$/

/** The ID of a Drive folder from an ID or a link to it; null where there is none in it. */
export function driveFolderId(text: string): string | null {
  const trimmed = text.trim()
  if (ID.test(trimmed)) return trimmed
  if (!URL.canParse(trimmed)) return null
  const url = new URL(trimmed)
  const inPath = /\/folders\/([\w-]+)/.exec(url.pathname)?.[1]
  const id = inPath ?? url.searchParams.get('id')
  return id !== null && ID.test(id) ? id : null
}
