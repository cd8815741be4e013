/** Parses the JSON of responses. A service may be any program. */
import { jsonExcess, type JsonExcess, type JsonLimits } from '../../node/json-limits.ts'
import { isRecord } from '../../shared/is-record.ts'

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly why: string }

const EXCESS: Readonly<Record<JsonExcess, string>> = {
  tooLong: 'it is too long',
  tooManyValues: 'it has too many values',
  tooDeep: 'it is nested too deeply',
}

/** Parses JSON without throwing. Text that exceeds the limits isn't parsed, because counting values is far faster than checking them. */
export function parseAnswer(text: Buffer, limits: JsonLimits): ParsedJson {
  const excess = jsonExcess(text, limits)
  return excess === undefined ? parseJson(text.toString('utf8')) : tooLarge(excess)
}

export const tooLarge = (excess: JsonExcess) => ({ ok: false, why: EXCESS[excess] }) as const

function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false, why: 'it is not valid JSON' }
  }
}

/** Maximum size in bytes of a list that is kept for comparison. */
const MAX_KEPT_BYTES = 1024 * 1024

type JobText = { readonly text: Buffer; readonly json: ParsedJson }

/**
 * Returns a parser for the job list, which is requested several times a second. Parses only jobs that have changed: a job whose text is the
 * same as in the previous list is the same object.
 */
export function createListParser(): typeof parseAnswer {
  let last:
    | { readonly text: Buffer; readonly jobs: readonly JobText[]; readonly json: ParsedJson }
    | undefined
  return (text, limits) => {
    if (last?.text.equals(text) === true) return last.json
    if (text.length > MAX_KEPT_BYTES) return parseAnswer(text, limits)
    const texts: Buffer[] = []
    let rest = ''
    let end = 0
    const excess = jsonExcess(text, limits, (start, after) => {
      rest += `${text.toString('utf8', end, start)}[${texts.length}]`
      texts.push(text.subarray(start, after))
      end = after
    })
    if (excess !== undefined) return tooLarge(excess)
    const jobs = parseChanged(texts, last?.jobs ?? [])
    const json =
      withJobs(parseJson(rest + text.toString('utf8', end)), jobs) ?? parseJson(text.toString('utf8'))
    last = { text, jobs, json }
    return json
  }
}

function parseChanged(texts: readonly Buffer[], before: readonly JobText[]): readonly JobText[] {
  // Jobs keep their order, so each one usually follows the one found last.
  let next = 0
  return texts.map((text) => {
    const isSame = (job: JobText | undefined) => job?.text.equals(text) === true
    const index = isSame(before[next]) ? next : before.findIndex(isSame)
    if (index !== -1) next = index + 1
    return { text, json: before[index]?.json ?? parseJson(text.toString('utf8')) }
  })
}

/**
 * Replaces the placeholders `[0]`, `[1]` … in a list with the jobs.
 * @returns undefined if the jobs aren't all elements of the list, or one isn't JSON
 */
function withJobs(list: ParsedJson, jobs: readonly JobText[]): ParsedJson | undefined {
  if (!list.ok || !isRecord(list.value)) return undefined
  const { jobs: places } = list.value
  const values = jobs.flatMap(({ json }) => (json.ok ? [json.value] : []))
  const isWhole = Array.isArray(places) && values.length === jobs.length && places.length === jobs.length
  return isWhole && places.every((place, index) => Array.isArray(place) && place[0] === index)
    ? { ok: true, value: { ...list.value, jobs: values } }
    : undefined
}
