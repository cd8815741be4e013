import type { Catalogue } from '../../message.ts'

/** Watched folders and the habits of the desktop: what they say outside of the window. */
export const watch = {
  'watch.question': {
    one: '{count} file came while nobody watched',
    other: '{count} files came while nobody watched',
  },
  'watch.questionBody': 'They are in {folder}. Click to say whether they are taken.',
  'watch.unreadable': 'A watched folder can’t be read',
  'watch.unreadableBody': 'Something in {folder} is closed to Mediatray. It is tried again by itself.',
  'watch.notStarted': 'Watched files can’t be submitted',
  'watch.notStartedBody': 'Those in {folder} wait. Look at the preset and the output of that folder.',

  'update.ready': 'Mediatray {version} is ready',
  'update.readyBody': 'It is installed when you say so, and never while jobs run.',
  'update.install': 'Restart and install',
  'update.badSignature': 'An update was not what it says',
  'update.badSignatureBody':
    'It does not carry our signature, so nothing of it was installed. Get the new version from our page.',
  'update.notReachable': 'The page for updates can’t be reached.',
  'update.failed': 'Looking for updates failed: {detail}',

  'whenDone.quitSoon': 'All is done. Mediatray quits in {time}.',
  'whenDone.sleepSoon': 'All is done. The computer sleeps in {time}.',
  'whenDone.stay': 'Not now',

  'link.addQuestion': {
    one: 'A link wants to add {count} file. Add it?',
    other: 'A link wants to add {count} files. Add them?',
  },

  'task.newJob': 'New job',
  'task.newJobHint': 'Choose photos or videos to process',
  'task.pasteImage': 'Paste image',
  'task.pasteImageHint': 'Process the picture in the clipboard',
} as const satisfies Catalogue
