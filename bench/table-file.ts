import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A table that is worth more than its summary, in Markdown. @returns its path, which is always the same */
export async function keepTable(
  name: string,
  head: readonly string[],
  lines: readonly (readonly string[])[],
): Promise<string> {
  const folder = join(import.meta.dirname, 'results')
  const path = join(folder, `${name}.md`)
  const rows = [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`)
  await mkdir(folder, { recursive: true })
  await writeFile(path, `${rows.join('\n')}\n`)
  return path
}
