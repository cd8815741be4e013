import { jsonExcess } from '../../node/json-limits.ts'
import { readFailedFields, type Resource, type ResourceName, readResource } from './exact-schema.ts'
import type { Answer } from './requests.ts'

/** Thrown if the service doesn't do what a check expects. The message is a clause such as "returned 200 instead of 401". */
export class Violation extends Error {}

/** Thrown if the check isn't possible now. The message is a sentence. */
export class NotChecked extends Error {}

export function expectStatus({ status }: Answer, expected: number): void {
  if (status !== expected) throw new Violation(`returned ${status} instead of ${expected}`)
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
  return readResource(name, json)
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
