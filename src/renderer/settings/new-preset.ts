/** The smallest document that says something: photos of at most 2048 pixels. */
const START = { image: { format: 'jpeg', quality: 82, size: { width: 2048, height: 2048 } } }

export const newPresetText = (name: string): string => `${JSON.stringify({ name, ...START }, null, 2)}\n`

/** The same document under another name; as it stands where it is no JSON object. */
export function renamedPresetText(text: string, name: string): string {
  try {
    const document: unknown = JSON.parse(text)
    if (typeof document !== 'object' || document === null || Array.isArray(document)) return text
    return `${JSON.stringify({ ...document, name }, null, 2)}\n`
  } catch {
    return text
  }
}
