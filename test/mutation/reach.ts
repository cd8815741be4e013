import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseSync } from 'vite'
import { childrenOf, type Node } from './syntax.ts'

/** The files that a file needs, itself among them: what it imports, and the programs that it names in order to start them. */
export function createReach(): (file: string) => ReadonlySet<string> {
  const direct = new Map<string, readonly string[]>()
  const whole = new Map<string, ReadonlySet<string>>()

  function directOf(file: string): readonly string[] {
    const known = direct.get(file)
    if (known !== undefined) return known
    const found = namedFiles(file)
    direct.set(file, found)
    return found
  }

  return (file) => {
    const known = whole.get(file)
    if (known !== undefined) return known
    const reached = new Set([file])
    // A set is walked together with what is added on the way.
    for (const next of reached) for (const named of directOf(next)) reached.add(named)
    whole.set(file, reached)
    return reached
  }
}

/** The test files below some folders or files. */
export const testsBelow = (paths: readonly string[]): readonly string[] =>
  paths.flatMap((path) => (path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.test.ts`))).toSorted()

/** A file is named relative to the one that names it, or to the project. */
function namedFiles(file: string): readonly string[] {
  const { program } = parseSync(file, readFileSync(file, 'utf8'))
  const named = new Set<string>()
  function visit(node: Node): void {
    if (node.type === 'Literal' && typeof node.value === 'string' && /[.]tsx?$/.test(node.value)) {
      for (const path of [join(dirname(file), node.value), normalize(node.value)])
        if (existsSync(path) && statSync(path).isFile()) named.add(path)
    }
    childrenOf(node).forEach(visit)
  }
  visit(program)
  return [...named]
}
