/** Texts about damaged files of Mediatray's own, and those of a newer version. */
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

const NEWER: Readonly<Record<Damage['what'], string>> = {
  history: 'The history was written by a newer version of Mediatray',
  outbox: 'The outbox was written by a newer version of Mediatray',
  downloads: 'The list of results to download was written by a newer version of Mediatray',
  replacements: 'The record of replaced originals was written by a newer version of Mediatray',
  watched: 'The record of files processed from watched folders was written by a newer version of Mediatray',
}

export const damageWords = ({ what, keptAs, isNewer }: Damage & { readonly isNewer: boolean }): string =>
  isNewer
    ? `${NEWER[what]} and is kept as ${keptAs}. That version restores it when it runs again.`
    : `${DAMAGED[what]} The damaged file is kept as ${keptAs}.`
