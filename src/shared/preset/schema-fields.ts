/** The fields of a preset as its schema knows them: what may stand there, and what holds where nothing does. */
import * as z from 'zod'
import { Preset } from './preset.ts'

export type SchemaField = {
  /** Such as `image.size.width`. */
  readonly path: string
  readonly types: ReadonlySet<string>
  /** Values to choose from; empty where anything of the type will do. */
  readonly choices: readonly (string | number)[]
  readonly min: number | null
  readonly max: number | null
  /** undefined: there is none. */
  readonly default: unknown
}

/** As far as a schema of ours goes; every other word of JSON Schema is passed over. */
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

let known: ReadonlyMap<string, SchemaField> | undefined

/** By path, in the order of the schema. An object's members are there, and not the object itself. */
export function schemaFields(): ReadonlyMap<string, SchemaField> {
  known ??= new Map(
    fieldsIn(Node.parse(z.toJSONSchema(Preset, { io: 'input' })), '').map((field) => [field.path, field]),
  )
  return known
}

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
      choices: ways.flatMap((way) => way.enum ?? (way.const === undefined ? [] : [way.const])),
      min: limits('minimum'),
      max: limits('maximum'),
      default: node.default,
    },
  ]
}
