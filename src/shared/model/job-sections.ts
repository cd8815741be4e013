/** The sections in which a job's parts are shown. */
import type { RecordId } from './ids.ts'
import type { Job, Part, PartTitle } from './job.ts'

/** What an action on a part affects: only it, all parts with its preset, or the whole job. */
export const JOB_SCOPES = ['part', 'preset', 'job'] as const
export type JobScope = (typeof JOB_SCOPES)[number]

/**
 * Parts with the same preset. If the job has only one preset, parts with the same folder. If it also has only one folder, a single part.
 */
export type JobSection = ReturnType<typeof sectionsOf>[number]

const byOf = ({ presets, folders }: PartTitle['place']) => {
  if (presets > 1) return 'preset'
  return folders > 1 ? 'folder' : 'part'
}

function keyOf({ preset, output, id }: Part, by: ReturnType<typeof byOf>): string {
  if (by === 'preset') return preset ?? ''
  return by === 'folder' && output?.kind === 'folder' ? output.path : id
}

/** Returns the sections in the order that the user chose. */
export function sectionsOf({ parts }: Pick<Job, 'parts'>) {
  const by = byOf(parts[0].place)
  // The key is constant while the parts move from the outbox to the history.
  return [...Map.groupBy(parts, (part) => keyOf(part, by))].flatMap(([key, [first, ...others]]) =>
    first === undefined ? [] : [{ by, key, parts: [first, ...others] as const }],
  )
}

/** Returns the scopes of an action on all parts of a section. */
export const scopesOf = ({
  by,
  parts,
}: JobSection): readonly { readonly id: RecordId; readonly scope: JobScope }[] =>
  by === 'preset' ? [{ id: parts[0].id, scope: 'preset' }] : parts.map(({ id }) => ({ id, scope: 'part' }))
