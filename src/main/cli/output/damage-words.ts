/** Texts about damaged files of Mediatray's own. */
import type { Damage } from '../../../shared/model/notice.ts'

const DAMAGED: Readonly<Record<Damage['what'], string>> = {
  history: 'The history was damaged and has been reset.',
  outbox:
    'The outbox was damaged and has been reset. Its submissions are in the history as canceled; submit them again with “retry”.',
  state:
    'The record of downloads, watched folders and replaced originals was damaged and is being rebuilt: downloads from the history, and originals from the vaults. Files that are already in watched folders aren’t processed again.',
}

export const damageWords = ({ what, keptAs }: Damage): string =>
  `${DAMAGED[what]} The damaged file is kept as ${keptAs}.`
