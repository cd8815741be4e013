import type { Catalogue } from '../translate.ts'

/** Texts that a command's terminal shows before it has reached the process that runs the command, or after that process has ended. */
export const client = {
  client: {
    folderGone: 'The working directory was deleted, so relative paths can’t be used.',
    homeUnknown: 'The system doesn’t know your home folder. Set HOME, then run the command again.',
    outputFailed: 'Couldn’t write the output: {detail}',
    dataFolderFailed: 'Couldn’t create the folder for Mediatray’s data: {detail}',
    silent: 'Mediatray’s background process ({pid}) doesn’t respond.',
    waiting: 'Waiting for Mediatray’s background process.',
    dataUsed: 'Another program ({pid}) uses Mediatray’s data and doesn’t respond: {folder}.',
    ended: 'Mediatray’s background process ended. {next}',
    replaced: 'Mediatray’s program files are being replaced or removed, so this command ended. {next}',
    inputLost: 'What it had read from stdin is lost. {next}',
  },
  /** What to do after the background process has ended, by what it had stored. */
  continued: {
    everything: 'The next command continues its work; “history” shows it.',
    perhaps: '“outbox” and “history” show whether anything was submitted. If not, run the command again.',
    submissions: 'The next command continues what was submitted; “history” shows it. Run this command again.',
    nothing: 'Nothing was submitted. Run the command again.',
  },
} as const satisfies Catalogue
