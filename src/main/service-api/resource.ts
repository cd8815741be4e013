import type * as z from 'zod'
import { failed, succeeded, type Result } from '../../shared/service-error.ts'
import { parseJson } from './response-error.ts'
import type { Route } from './routes.ts'

/** The resource in a successful answer, or an error that names the route and the field that is wrong. */
export function readResource<T>(route: Route, schema: z.ZodType<T>, body: string): Result<T> {
  const json = parseJson(body)
  if (!json.ok) return failed(badResponse(route, 'body', 'it is not complete JSON'))

  const resource = schema.safeParse(json.value)
  if (resource.success) return succeeded(resource.data)

  const issue = resource.error.issues[0]
  const field = issue === undefined || issue.path.length === 0 ? 'body' : issue.path.join('.')
  return failed(badResponse(route, field, issue?.message ?? 'it does not fit'))
}

export const badResponse = (route: Route, field: string, why: string) => ({
  kind: 'badResponse' as const,
  route,
  field,
  message: `The answer to ${route} is not what the API promises, at “${field}”: ${why}.`,
})
