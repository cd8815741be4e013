import type { ESTree } from 'vite'

export type Node = ESTree.Node

/** The nodes directly below one, in the order of the file. */
export function childrenOf(node: Node): readonly Node[] {
  return Object.values(node)
    .flat()
    .filter(isNode)
    .toSorted((one, other) => one.start - other.start)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** What a reader would call the function, class or value that a node declares; anonymous ones have no name. */
export function declaredName(node: Node): string | undefined {
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') return node.id?.name
  if (node.type === 'VariableDeclarator' && node.init?.type === 'ArrowFunctionExpression')
    return node.id.type === 'Identifier' ? node.id.name : undefined
  if (node.type === 'MethodDefinition' || (node.type === 'Property' && node.method))
    return node.key.type === 'Identifier' ? node.key.name : undefined
  return undefined
}

/** A called function's own name: `log` of `log(…)` and of `this.log(…)`. */
export function calledName(callee: Node): string | undefined {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier') return callee.property.name
  return undefined
}
