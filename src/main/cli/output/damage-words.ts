/** Texts about damaged files of Mediatray's own. */
import type { Damage } from '../../../shared/model/notice.ts'

const DAMAGED: Readonly<Record<Damage['what'], string>> = {
  history: 'The history was damaged and has been reset.',
  outbox:
    'The outbox was damaged and has been reset. Its submissions are in the history as canceled; submit them again with “retry”.',
  downloads: 'The list of results to download was damaged and has been rebuilt from the history.',
  replacements:
    'The record of replaced originals was damaged and is being rebuilt from the vaults, so the originals can still be restored.',
  watched: 'The record of files processed from watched folders was damaged and has been reset.',
}

export const damageWords = ({ what, keptAs }: Damage): string =>
  `${DAMAGED[what]} The damaged file is kept as ${keptAs}.`
