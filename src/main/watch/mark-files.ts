import { lstat } from 'node:fs/promises'
import { markOf } from './file-mark.ts'
import type { MarkedFile } from './taken-store.ts'

/** Files looked at together. */
const AT_ONCE = 64

/** Those that are there, as they are now. */
export async function markFiles(paths: readonly string[]): Promise<readonly MarkedFile[]> {
  const marked: MarkedFile[] = []
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const group = paths.slice(start, start + AT_ONCE)
    const found = await Promise.all(group.map((path) => lstat(path, { bigint: true }).catch(() => undefined)))
    for (const [index, path] of group.entries()) {
      const stats = found[index]
      if (stats?.isFile() === true) marked.push({ path, mark: markOf(stats) })
    }
  }
  return marked
}
