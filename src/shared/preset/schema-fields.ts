/** The preset fields that the schema defines, with their valid values and defaults. */
import * as z from 'zod'
import { once } from '../once.ts'
import { Preset } from './preset.ts'

export type SchemaField = {
  /** The path, such as `image.size.width`. */
  readonly path: string
  readonly types: ReadonlySet<string>
  /** The values that the schema lists; empty for booleans, and if it doesn't list any. */
  readonly choices: readonly (string | number)[]
  readonly min: number | null
  readonly max: number | null
  /** undefined if the schema doesn't define a default. */
  readonly default: unknown
}

/** The keywords of the presets' JSON Schema that are needed here. Other keywords are ignored. */
const Node = z.object({
  type: z.string().optional(),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  const: z.union([z.string(), z.number()]).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.unknown().optional(),
  get properties() {
    return z.record(z.string(), Node).optional()
  },
  get anyOf() {
    return z.array(Node).optional()
  },
})
type Node = z.infer<typeof Node>

/** Returns the fields by path, in schema order. For objects, returns only their members. */
export const schemaFields = once((): ReadonlyMap<string, SchemaField> => {
  const fields = fieldsIn(Node.parse(z.toJSONSchema(Preset, { io: 'input' })), '')
  return new Map(fields.map((field) => [field.path, field]))
})

function fieldsIn(node: Node, path: string): SchemaField[] {
  if (node.properties !== undefined) {
    return Object.entries(node.properties).flatMap(([name, member]) =>
      fieldsIn(member, path === '' ? name : `${path}.${name}`),
    )
  }
  const ways = node.anyOf ?? [node]
  const limits = (limit: 'minimum' | 'maximum'): number | null =>
    ways.map((way) => way[limit]).find((found) => found !== undefined) ?? null
  return [
    {
      path,
      types: new Set(ways.flatMap((way) => way.type ?? [])),
      choices: ways.some(({ type }) => type === 'boolean')
        ? []
        : ways.flatMap((way) => way.enum ?? (way.const === undefined ? [] : [way.const])),
      min: limits('minimum'),
      max: limits('maximum'),
      default: node.default,
    },
  ]
}
