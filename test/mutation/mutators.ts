import { calledName, childrenOf, type Node } from './syntax.ts'

/** One small fault: the text between two offsets (UTF-16) is replaced. */
export type Fault = {
  readonly mutator: string
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Each comparison in reverse, and moved by one where it has an edge. */
const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['>=', '<='],
  '<=': ['>', '<'],
  '>': ['<=', '>='],
  '>=': ['<', '>'],
}

const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' }

const ASSIGNMENTS: Readonly<Record<string, string>> = { '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=' }

/** Every fault that one node can be given; those below it are its children's. */
export function faultsOf(node: Node, source: string): readonly Fault[] {
  const textOf = (part: Node) => source.slice(part.start, part.end)
  switch (node.type) {
    case 'BinaryExpression':
      return binaryFaults(node.operator, textOf(node.left), textOf(node.right)).map(({ mutator, text }) =>
        replace(mutator, node, text),
      )
    case 'LogicalExpression': {
      const [left, right] = [textOf(node.left), textOf(node.right)]
      // `??` may not stand beside the others without brackets.
      if (node.operator === '??') return [replace('without the fallback', node, left)]
      return [replace('and or', node, `(${left}) ${node.operator === '&&' ? '||' : '&&'} (${right})`)]
    }
    case 'IfStatement':
    case 'WhileStatement':
    case 'ConditionalExpression':
      return negates(node.test) ? [] : [replace('negate', node.test, `!(${textOf(node.test)})`)]
    case 'UnaryExpression':
      return node.operator === '!' || node.operator === '-'
        ? [replace('without the sign', node, `(${textOf(node.argument)})`)]
        : []
    case 'UpdateExpression':
      return [replace('count the other way', node, flipped(textOf(node)))]
    case 'AssignmentExpression': {
      const operator = ASSIGNMENTS[node.operator]
      return operator === undefined
        ? []
        : [replace('arithmetic', node, `${textOf(node.left)} ${operator} ${textOf(node.right)}`)]
    }
    case 'ExpressionStatement':
      return isDone(node.expression) ? [replace('drop the statement', node, ';')] : []
    case 'ReturnStatement':
      return node.argument === null || isPlain(node.argument)
        ? []
        : [replace('return nothing', node.argument, 'undefined')]
    case 'ArrowFunctionExpression':
      return node.body.type === 'BlockStatement' || isPlain(node.body)
        ? emptied(node.body)
        : [replace('return nothing', node.body, 'undefined')]
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return node.body === null ? [] : emptied(node.body)
    case 'CatchClause':
      return emptied(node.body)
    case 'Literal':
      return literalFaults(node.value).map((text) => replace('literal', node, text))
    case 'TemplateLiteral':
      return [replace('literal', node, '``')]
    default:
      return []
  }
}

const replace = (mutator: string, part: Node, text: string): Fault => ({
  mutator,
  start: part.start,
  end: part.end,
  text,
})

/** Types have no behaviour, imports none of their own, and what is told to the log or to a developer is no behaviour either. */
export function isLeftAlone(node: Node): boolean {
  if (node.type.startsWith('TS')) return !CARRIERS.has(node.type)
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return true
  return node.type === 'CallExpression' && calledName(node.callee) === 'log'
}

/** Types around an expression. */
const CARRIERS = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])

/** The children that can be given faults: without keys, and without the sentence of an error that only a developer reads. */
export function mutableChildren(node: Node): readonly Node[] {
  if (node.type === 'Property' || node.type === 'MethodDefinition' || node.type === 'PropertyDefinition')
    return childrenOf(node).filter((child) => node.computed || child !== node.key)
  if (node.type === 'NewExpression' && calledName(node.callee) === 'Error') return []
  // Another number might end a process of somebody else's.
  if (node.type === 'CallExpression' && calledName(node.callee) === 'kill') return [node.callee]
  if (node.type === 'ExportNamedDeclaration' && node.source !== null) return []
  return childrenOf(node)
}

function binaryFaults(
  operator: string,
  left: string,
  right: string,
): readonly Omit<Fault, 'start' | 'end'>[] {
  const compared = COMPARISONS[operator] ?? []
  const calculated = ARITHMETIC[operator]
  if (calculated !== undefined) return [{ mutator: 'arithmetic', text: `${left} ${calculated} (${right})` }]
  return compared.map((other, index) => ({
    mutator: index === 0 ? 'compare the other way' : 'edge',
    text: `${left} ${other} ${right}`,
  }))
}

/** A comparison or a negation has its own fault already. */
const negates = (test: Node) =>
  (test.type === 'BinaryExpression' && test.operator in COMPARISONS) ||
  (test.type === 'UnaryExpression' && test.operator === '!')

const flipped = (text: string) => (text.includes('++') ? text.replace('++', '--') : text.replace('--', '++'))

/** Whether a statement does something: a call, or an assignment. */
function isDone(expression: Node): boolean {
  if (isLeftAlone(expression)) return false
  if (expression.type === 'AwaitExpression') return isDone(expression.argument)
  if (expression.type === 'UnaryExpression') return expression.operator === 'void'
  return ['CallExpression', 'AssignmentExpression', 'ChainExpression'].includes(expression.type)
}

/** What returns nothing already, or has a fault of its own that says more. */
const isPlain = (node: Node) =>
  (node.type === 'Identifier' && node.name === 'undefined') ||
  (node.type === 'Literal' && typeof node.value === 'boolean') ||
  isLeftAlone(node)

function emptied(body: Node): readonly Fault[] {
  if (body.type !== 'BlockStatement' || body.body.length === 0) return []
  return [{ mutator: 'empty the block', start: body.start, end: body.end, text: '{}' }]
}

function literalFaults(value: unknown): readonly string[] {
  if (typeof value === 'boolean') return [String(!value)]
  // One more of many ms or bytes is no fault that anybody meets.
  if (typeof value === 'number') return [String(value < 100 ? value + 1 : value * 10)]
  if (typeof value === 'string') return value === '' ? ["'something'"] : ["''"]
  return []
}
