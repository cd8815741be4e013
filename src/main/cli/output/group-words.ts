/** Texts about a job with several presets, folders or requests, and its parts. */
import type { WindowTranslation } from '../../../shared/i18n/i18n.ts'
import { outcomeWord, presetName } from '../../../shared/i18n/sentences.ts'
import type { CliEvent, Submission } from './event.ts'
import { FEW } from './some-of.ts'

/** ", Web 2048, part 1 of 2" */
export const partName = ({ group }: Pick<Submission, 'group'>, t: WindowTranslation): string =>
  group === undefined
    ? ''
    : `, ${presetName(group.preset, t)}, ${t.group.part({ part: group.part, parts: group.parts })}`

/** "Web 2048: " */
export const presetOf = ({ group }: Pick<Submission, 'group'>, t: WindowTranslation): string =>
  group === undefined ? '' : `${presetName(group.preset, t)}: `

const PART_STATES: Readonly<Record<Extract<CliEvent, { event: 'group' }>['parts'][number]['state'], string>> =
  {
    accepted: 'accepted',
    waiting: 'kept in the outbox',
    refused: 'refused',
    unknown: 'unconfirmed',
    removed: 'removed from the outbox',
    done: 'done',
    problems: 'done with problems',
    failed: 'failed',
    cancelled: 'canceled',
    forgotten: 'no longer known to the service',
  }

/** The job as a whole, and what happened to each part, or to how many if there are many. */
export function groupLines(
  { id, outcome, parts }: Extract<CliEvent, { event: 'group' }>,
  isWhole: boolean,
  t: WindowTranslation,
): readonly string[] {
  const head =
    outcome === null
      ? `job of ${parts[0]?.parts ?? parts.length} parts`
      : [
          outcomeWord(outcome, null, t),
          ...('results' in outcome ? [t.count.results({ count: outcome.results })] : []),
        ].join(', ')
  if (!isWhole && parts.length > FEW) {
    const states = [...Map.groupBy(parts, ({ state }) => state)]
    return [
      `${id}  ${head}`,
      `  ${states.map(([state, some]) => `${t.number(some.length)} parts ${PART_STATES[state]}`).join(', ')}`,
    ]
  }
  return [
    `${id}  ${head}`,
    ...parts.map((part) => {
      const name = t.group.part({ part: part.part, parts: part.parts })
      return `  ${name}, ${presetName(part.preset, t)}: ${PART_STATES[part.state]}`
    }),
  ]
}
