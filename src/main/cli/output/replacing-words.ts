/** Texts about replaced originals and the vaults that keep them. */
import { describeFailure } from '../../../shared/i18n/failures.ts'
import { replacedSentence } from '../../../shared/i18n/sentences.ts'
import type { KeptReason } from '../../../shared/model/replacement.ts'
import { t } from './english.ts'
import type { CliEvent, EventOf, Words } from './event.ts'

const EVENTS = ['originals', 'restored', 'replacedAgain', 'vault', 'vaultEmptied'] as const
type OriginalsEvent = EventOf<(typeof EVENTS)[number]>

export const isAboutOriginals = (event: CliEvent): event is OriginalsEvent =>
  EVENTS.some((name) => name === event.event)

export function originalsWords(event: OriginalsEvent): Words {
  switch (event.event) {
    case 'originals':
      return { to: 'stdout', lines: originalsLines(event) }
    case 'restored':
    case 'replacedAgain':
      return { to: event.failure === null ? 'stdout' : 'stderr', lines: [restoredWords(event)] }
    case 'vault':
      return { to: 'stdout', lines: vaultLines(event) }
    case 'vaultEmptied':
      return { to: 'stdout', lines: [emptiedWords(event)] }
  }
}

const KEPT_WORDS: Readonly<Record<KeptReason, string>> = {
  changed: 'it was changed after the job had started',
  missing: 'it was moved or deleted after the job had started',
  notSmaller: 'its result isn’t smaller',
  badResult: 'its result isn’t what the preset promises',
  unchecked: 'its result couldn’t be checked, because Mediatray’s copy of the preset is lost',
  lost: 'its result lost something',
  noResult: 'it has no result',
  misplaced: 'the service reported a file outside the job’s folder',
  readOnly: 'the file or its folder is read-only',
  rights: 'the result can’t get its owner and permissions',
  inUse: 'another program is using it',
  link: 'it is a symbolic link',
  hardLink: 'it has another hard link',
  vault: 'the vault couldn’t be written',
  cancelled: 'the job was canceled',
  unreadable: 'its record can’t be read, so it isn’t known whether it was replaced',
}

/** "20 replaced, 3 kept", why each was kept, and how to restore the others. */
const originalsLines = ({ id, counts, files }: EventOf<'originals'>): readonly string[] => [
  `${id}  ${replacedSentence(counts, t)}`,
  ...files.flatMap(({ path, state }) =>
    state.kind === 'kept'
      ? [
          `  ${state.why === 'missing' ? 'not replaced' : 'kept'} ${path}: ${KEPT_WORDS[state.why]}${resultWords(state.result)}`,
        ]
      : [],
  ),
  ...(counts.replaced > 0 ? [`  To restore the originals, run: mediatray-cli undo ${id}`] : []),
]

const resultWords = (result: string | null): string => (result === null ? '' : `. Result: ${result}`)

function restoredWords({ event, file, failure }: EventOf<'restored' | 'replacedAgain'>): string {
  switch (file.kind) {
    case 'failed':
      return failure === null ? '' : describeFailure(failure, t)
    case 'both':
      return `restored ${file.place}. The file that replaced it was edited or moved, so both are kept.`
    case 'restored':
      if (event === 'replacedAgain') return `replaced again ${file.place}`
      return `restored ${file.place}${file.newer === true ? '. Another program had saved it after it was replaced. This is what it saved.' : ''}`
  }
}

function vaultLines({ files, bytes, vaults, away, unlisted, keepDays }: EventOf<'vault'>): readonly string[] {
  if (files === 0 && away === 0) return unlisted.length === 0 ? ['No originals are kept.'] : []
  return [
    `${t.count.files({ count: files })}, ${t.size(bytes)}.`,
    ...vaults.map((folder) => `  ${folder}`),
    ...(away === 0 ? [] : [awayWords(away)]),
    keepDays === null
      ? 'Originals are kept until you run “vault empty”.'
      : `Originals are deleted ${t.number(keepDays)} ${keepDays === 1 ? 'day' : 'days'} after they were replaced.`,
  ]
}

function emptiedWords({ files, bytes, away, left, unrestored }: EventOf<'vaultEmptied'>): string {
  const failed = left - unrestored.length
  const undeleted =
    failed <= 0
      ? ''
      : ` ${t.count.files({ count: failed })} couldn’t be deleted: check that the vault is writable.`
  const rest = away === 0 ? undeleted : ` ${awayWords(away)} The files there are kept.`
  return `${t.count.files({ count: files })} deleted, ${t.size(bytes)} freed.${rest}`
}

/** Reports an original, or a result, that wasn't deleted from the vault. */
export const releasedWords = (place: string): string =>
  `${place} was not deleted: another program saved it after it was moved to the vault. It is next to the file that replaced it.`

const awayWords = (count: number): string =>
  `${count === 1 ? 'One vault wasn’t' : `${t.number(count)} vaults weren’t`} found: connect its disk, or move the folder back if it was moved.`
