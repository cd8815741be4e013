/** Decodes text of unknown encoding: as UTF-8 if it is valid, otherwise as Latin-1. Omits trailing zeros. */
export function storedText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return (text.includes('\uFFFD') ? bytes.toString('latin1') : text).replace(/\0+$/, '')
}
