import { readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { faultsOf, isLeftAlone, mutableChildren, type Fault } from './mutators.ts'
import { declaredName, type Node } from './syntax.ts'

/** A source file with one fault in it. */
export type Mutant = {
  /** Says the same as long as the mutated code does, wherever in the file it stands. */
  readonly id: string
  readonly file: string
  readonly line: number
  readonly fault: Fault
  /** Named functions around it, outermost first, with dots. */
  readonly within: string
  /** The first line that the fault changes, before and after. */
  readonly was: string
  readonly becomes: string
}

export const applied = (fault: Fault, source: string): string =>
  source.slice(0, fault.start) + fault.text + source.slice(fault.end)

/** Every mutant of a file, in the order of the file. */
export function findMutants(file: string, source = readFileSync(file, 'utf8')): readonly Mutant[] {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} can't be parsed: ${errors[0]?.message ?? ''}`)
  const mutants: Mutant[] = []
  const seen = new Map<string, number>()

  function visit(node: Node, within: readonly string[]): void {
    if (isLeftAlone(node)) return
    const name = declaredName(node)
    const inside = name === undefined ? within : [...within, name]
    for (const fault of faultsOf(node, source)) add(fault, inside.join('.'))
    for (const child of mutableChildren(node)) visit(child, inside)
  }

  function add(fault: Fault, within: string): void {
    const was = lineAt(source, fault.start)
    const becomes = lineAt(applied(fault, source), fault.start)
    const words = `${file} | ${within} | ${was} | ${becomes}`
    const count = (seen.get(words) ?? 0) + 1
    seen.set(words, count)
    const line = source.slice(0, fault.start).split('\n').length
    const id = count === 1 ? words : `${words} | ${count}`
    mutants.push({ id, file, line, fault, within, was, becomes })
  }

  visit(program, [])
  return mutants
}

function lineAt(source: string, offset: number): string {
  const start = source.lastIndexOf('\n', offset - 1) + 1
  const end = source.indexOf('\n', offset)
  return source.slice(start, end === -1 ? undefined : end).trim()
}
