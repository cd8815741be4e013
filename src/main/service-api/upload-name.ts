import { extensionOf } from '../../shared/media-types.ts'

/** Keeps the name usable as a file name on every system by a service that stores it as it came. */
const LONGEST_HEADER = 200

/**
 * A file's name as the value of `X-Filename` (section 4). A header can only hold printable ASCII, and the spec says no
 * more than "a file name ending in one of …", so everything else is percent-encoded as UTF-8, and so is the percent sign
 * itself: a service that decodes gets the exact name, one that doesn't still gets a valid and distinct one. A name that
 * would become very long loses whole characters before its extension, never the extension.
 */
export function uploadName(name: string): string {
  const extension = extensionOf(name)
  const stem = extension === '' ? name : name.slice(0, -extension.length - 1)
  const tail = extension === '' ? '' : `.${extension}`

  let head = ''
  for (const character of stem.toWellFormed()) {
    const encoded =
      /^[\x20-\x7e]$/.test(character) && character !== '%' ? character : encodeURIComponent(character)
    if (head.length + encoded.length + tail.length > LONGEST_HEADER) break
    head += encoded
  }
  return `${head.trim() === '' ? 'file' : head.trimStart()}${tail}`
}
