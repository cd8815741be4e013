import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Table = {
  readonly head: readonly string[]
  readonly lines: readonly (readonly string[])[]
}

/** Tables that are worth more than their summary, in Markdown. @returns their path, which is always the same */
export async function keepTables(name: string, tables: readonly Table[]): Promise<string> {
  const folder = join(import.meta.dirname, 'results')
  const path = join(folder, `${name}.md`)
  const written = tables.map(({ head, lines }) =>
    [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join(''),
  )
  await mkdir(folder, { recursive: true })
  await writeFile(path, written.join('\n'))
  return path
}
