import type { ListLayout, Row } from './list-layout.ts'

/**
 * The order of one layout with the contents of a newer one: what the list shows while the pointer is over it, so that
 * nothing moves away under a click. A row that is no longer anywhere keeps its last content.
 */
export function withContents(order: ListLayout, latest: ListLayout): ListLayout {
  if (order === latest) return order
  const contents = new Map(latest.rows.map((row) => [row.key, row.content]))
  const renew = (row: Row): Row => {
    const content = contents.get(row.key)
    return content === undefined || content === row.content ? row : { ...row, content }
  }
  const sections = order.sections.map((section) => ({ ...section, rows: section.rows.map(renew) }))
  return { sections, rows: sections.flatMap(({ rows }) => rows), height: order.height }
}
