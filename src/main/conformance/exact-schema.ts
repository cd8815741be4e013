import * as z from 'zod'
import { exactResources, makeExact } from '../../shared/api/exact-resources.ts'

export type ResourceName = keyof typeof exactResources
export type Resource<Name extends ResourceName> = z.infer<(typeof exactResources)[Name]>

const made = new Map<ResourceName, z.ZodType>()

/** Returns a schema that accepts a resource only as section 2 defines it. */
function exactSchema(name: ResourceName): z.ZodType {
  const known = made.get(name)
  if (known !== undefined) return known
  const schema = z.fromJSONSchema(
    z.toJSONSchema(exactResources[name], { unrepresentable: 'any', override: makeExact }),
  )
  made.set(name, schema)
  return schema
}

/** Explains which field is wrong; undefined if the value is correct. */
export function readFailedFields(name: ResourceName, value: unknown): string | undefined {
  const issue = exactSchema(name).safeParse(value).error?.issues[0]
  if (issue === undefined) return undefined
  const field = issue.path.length === 0 ? 'the body' : issue.path.join('.')
  return `${field}: ${issue.message}`
}

/** Returns the resource with its type. The value must have passed the exact check. */
export const readResource = <Name extends ResourceName>(name: Name, value: unknown): Resource<Name> =>
  exactResources[name].parse(value) as Resource<Name>
