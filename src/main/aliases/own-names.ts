/** Replaces the names that a service received with the names of the user's own files. */
import { comparableName } from '../../shared/model/job-fit.ts'
import { baseName } from '../../shared/paths.ts'

export type SentName = {
  readonly path: string
  /** The path, or the uploaded file's name, that the service received. */
  readonly as: string
}

/** Fields that name an input, with or without its folder. */
const NAMES: ReadonlySet<string> = new Set(['file', 'fileName'])
/** Fields that don't name an input: those of a result, a job and a preset. */
const LEFT_ALONE: ReadonlySet<string> = new Set(['outputPath', 'jobId', 'preset'])

/**
 * Replaces the names of inputs in a service's response with the names of the user's own files, even within messages.
 * @param others names of the inputs that were sent as they are. A name that could mean one of them isn't replaced
 */
export function withOwnNames<T>(answer: T, names: readonly SentName[], others: readonly string[] = []): T {
  if (names.length === 0) return answer
  const byPath = new Map(names.filter(isPath).map(({ path, as }) => [as, path]))
  const byName = Map.groupBy(names, ({ as }) => comparableName(as))
  const taken = new Set(others.map(comparableName))

  function ownName(text: string): string {
    const exact = byPath.get(text)
    if (exact !== undefined) return exact
    const name = comparableName(text)
    const paths = new Set(byName.get(name)?.map(({ path }) => path))
    const [only, ...more] = paths
    if (only === undefined || more.length > 0 || taken.has(name)) return text
    return text === baseName(text) ? baseName(only) : only
  }

  function inMessage(text: string): string {
    return [...byPath].reduce((said, [as, path]) => said.replaceAll(as, path), text)
  }

  function translated(value: unknown, key: string): unknown {
    if (LEFT_ALONE.has(key)) return value
    if (typeof value === 'string') return NAMES.has(key) ? ownName(value) : inMessage(value)
    if (Array.isArray(value)) return value.map((one) => translated(one, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, translated(one, name)]))
  }

  return translated(answer, '') as T
}

/** Whether the service received a path. Uploaded files have only names. Messages keep these names, because other inputs may share them. */
const isPath = ({ as }: SentName): boolean => as !== baseName(as)
