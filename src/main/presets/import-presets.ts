/** Reads presets from imported text: one document, a list of documents, or a file written by "Export all". */
import type { PresetImport } from '../../shared/model/built-in-service.ts'
import { freeName } from '../../shared/preset/free-name.ts'
import {
  type JsonNode,
  linesOf,
  nodeAt,
  readJson,
  setInJson,
  valueAt,
} from '../../shared/preset/json-text.ts'
import { checkPresetText } from '../../shared/preset/preset-faults.ts'

export type ImportedText = { readonly file: string; readonly text: string }

export type ReadImport = Pick<PresetImport, 'leftOut'> & {
  readonly taken: readonly (PresetImport['taken'][number] & { readonly text: string })[]
}

/** Maximum number of presets per import, far above any realistic number. Each preset becomes a separate file. */
export const MOST_IMPORTED = 500

/** @param names names of the existing presets; an imported preset is renamed if its name is already used */
export function readImport(files: readonly ImportedText[], names: readonly string[]): ReadImport {
  const used = new Set(names)
  const taken: ReadImport['taken'][number][] = []
  const leftOut: PresetImport['leftOut'][number][] = []
  let read = 0
  for (const { file, text } of files) {
    if (read === MOST_IMPORTED) {
      leftOut.push({ name: file, line: 1, reason: { moreThan: MOST_IMPORTED } })
      continue
    }
    const { root, fault } = readJson(text)
    if (root === undefined) {
      leftOut.push({ name: file, line: fault.line, reason: { json: fault } })
      continue
    }
    const lines = linesOf(text)
    for (const node of documentsIn(root)) {
      if (read === MOST_IMPORTED) {
        leftOut.push({ name: file, line: lines.at(node.start), reason: { moreThan: MOST_IMPORTED } })
        break
      }
      read += 1
      const document = dedented(text, node, lines.startOf(node.start))
      const checked = checkPresetText(document)
      const named = valueAt(node, 'name')
      const name = typeof named === 'string' && named !== '' ? named : file
      const [first] = checked.readable ? checked.faults : []
      if (first !== undefined) {
        leftOut.push({ name, line: lines.at(node.start) + first.line - 1, reason: { field: first } })
        continue
      }
      const free = freeName(name, used)
      used.add(free)
      taken.push({
        name: free,
        was: free === name ? null : name,
        text: `${setInJson(document, 'name', free)}\n`,
      })
    }
  }
  return { taken, leftOut }
}

function documentsIn(root: JsonNode): readonly JsonNode[] {
  const list = root.kind === 'array' ? root : nodeAt(root, 'presets')
  return list?.kind === 'array' ? list.items : [root]
}

/** Removes a document's indentation, as if the document were a separate file. */
function dedented(text: string, node: JsonNode, lineStart: number): string {
  const document = text.slice(node.start, node.end)
  // Only the lines after the first one have indentation to remove.
  if (!document.includes('\n')) return document
  const indent = /^[ \t]*/.exec(text.slice(lineStart, node.start))?.[0] ?? ''
  return document.replaceAll(`\n${indent}`, '\n')
}

/** Combines several documents into one file that `readImport` can read. */
export const asOneFile = (texts: readonly string[]): string =>
  `{\n  "presets": [\n${texts.map((text) => indented(text.trim())).join(',\n')}\n  ]\n}\n`

const indented = (text: string): string => `    ${text.replaceAll('\n', '\n    ')}`
