/** Presets in the text of a file from somewhere else: one document, a list of them, or what "Export all" has written. */
import type { PresetImport } from '../../shared/model/built-in-service.ts'
import { freeName } from '../../shared/preset/free-name.ts'
import { lineAt, nodeAt, readJson, setInJson, valueAt, type JsonNode } from '../../shared/preset/json-text.ts'
import { checkPresetText } from '../../shared/preset/preset-faults.ts'

export type ImportedText = { readonly file: string; readonly text: string }

export type ReadImport = Pick<PresetImport, 'leftOut'> & {
  readonly taken: readonly (PresetImport['taken'][number] & { readonly text: string })[]
}

/** @param names of the presets that are there: each that comes gets another one */
export function readImport(files: readonly ImportedText[], names: readonly string[]): ReadImport {
  const used = new Set(names)
  const taken: ReadImport['taken'][number][] = []
  const leftOut: PresetImport['leftOut'][number][] = []
  for (const { file, text } of files) {
    const { root, fault } = readJson(text)
    if (root === undefined) {
      leftOut.push({ name: file, line: fault.line, reason: { json: fault } })
      continue
    }
    for (const node of documentsIn(root)) {
      const document = dedented(text, node)
      const checked = checkPresetText(document)
      const said = valueAt(node, 'name')
      const name = typeof said === 'string' && said !== '' ? said : file
      const [first] = checked.readable ? checked.faults : []
      if (first !== undefined) {
        leftOut.push({ name, line: lineAt(text, node.start) + first.line - 1, reason: { field: first } })
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

/** As it would stand in a file of its own. */
function dedented(text: string, node: JsonNode): string {
  const line = text.slice(text.lastIndexOf('\n', node.start) + 1, node.start)
  const indent = /^[ \t]*/.exec(line)?.[0] ?? ''
  return text.slice(node.start, node.end).replaceAll(`\n${indent}`, '\n')
}

/** Several documents as one file that `readImport` understands. */
export const asOneFile = (texts: readonly string[]): string =>
  `{\n  "presets": [\n${texts.map((text) => indented(text.trim())).join(',\n')}\n  ]\n}\n`

const indented = (text: string): string => `    ${text.replaceAll('\n', '\n    ')}`
