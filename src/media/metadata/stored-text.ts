/** Decodes a text whose encoding isn't stated: UTF-8, or Latin-1 if it can't be UTF-8. Omits zeros at the end. */
export function storedText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return (text.includes('\uFFFD') ? bytes.toString('latin1') : text).replace(/\0+$/, '')
}
