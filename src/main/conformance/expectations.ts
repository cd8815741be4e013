import * as z from 'zod'
import { exactResources, makeExact } from '../../shared/api/exact-resources.ts'
import { jsonExcess } from '../../node/json-limits.ts'
import type { Answer } from './requests.ts'

/** Thrown if the service doesn't do what a check expects. The message is a clause such as "returned 200 instead of 401". */
export class Violation extends Error {}

/** Thrown if the check isn't possible now. The message is a sentence. */
export class NotChecked extends Error {}

export function expectStatus({ status }: Answer, expected: number): void {
  if (status !== expected) throw new Violation(`returned ${status} instead of ${expected}`)
}

export type ResourceName = keyof typeof exactResources
type Resource<Name extends ResourceName> = z.infer<(typeof exactResources)[Name]>

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
function readFailedFields(name: ResourceName, value: unknown): string | undefined {
  const issue = exactSchema(name).safeParse(value).error?.issues[0]
  if (issue === undefined) return undefined
  const field = issue.path.length === 0 ? 'the body' : issue.path.join('.')
  return `${field}: ${issue.message}`
}

/** Expects a resource exactly as section 2 defines it. */
export function expectResource<Name extends ResourceName>(
  answer: Answer,
  status: number,
  name: Name,
): Resource<Name> {
  expectStatus(answer, status)
  const json = jsonOf(answer)
  if (json === undefined) throw new Violation(`returned ${status} with a body that is not JSON`)
  const wrong = readFailedFields(name, json)
  if (wrong !== undefined)
    throw new Violation(`returned ${status} with a body that is not ${NAMED[name] ?? name}: ${wrong}`)
  return exactResources[name].parse(json) as Resource<Name>
}

/** Expects an error with the Error body (section 7). */
export const expectError = (answer: Answer, status: number): Resource<'Error'> =>
  expectResource(answer, status, 'Error')

const NAMED: Partial<Record<ResourceName, string>> = {
  CancelledJob: 'the confirmation of a cancellation',
  ClearedJobs: 'the number of cleared jobs',
  Error: 'an Error',
}

/** Limits of a response, far above what any response needs. Reporting each invalid value takes time and memory. */
const LIMITS = { bytes: 16 * 1024 * 1024, values: 20_000 }

function jsonOf({ bytes }: Answer): unknown {
  if (jsonExcess(bytes, LIMITS) !== undefined)
    throw new Violation('returned far more values than any resource has')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

export function expectThat(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Violation(otherwise)
}
